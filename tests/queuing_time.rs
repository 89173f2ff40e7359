//! The wait that an outermost service is told, over real sockets, while the runtime is busy.
//!
//! The server's runtime has one thread and looks at its sockets after every task. Once [`Server::busy`],
//! ten tasks take turns at 5 ms each, so whatever becomes runnable has 50 ms of them in front of it: the
//! connection that was woken, and after it the stream that it spawned.

#![allow(clippy::unwrap_used, reason = "what cannot go on in a test fails it")]
#![cfg(all(feature = "axum", feature = "tonic"))]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Poll},
    thread,
    time::Duration,
};

use axum::{
    Router, ServiceExt,
    extract::{ConnectInfo, Request},
    routing::get,
    serve::{Listener, ListenerExt as _},
};
use dagor::{
    Clock,
    queuing_time::{
        AcceptStamp, Arrival, Probe, SocketWaits, Source as _, Stamped, StampedIncoming,
        StampedListener,
    },
};
use futures_util::future::join_all;
use http_body_util::{BodyExt as _, Empty};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, BufStream},
    net::{TcpListener, TcpStream},
    sync::oneshot,
};
use tower::{Layer, Service};

const BURNERS: usize = 10;
const BURN: Duration = Duration::from_millis(5);
/// What each turn in the run queue takes at least, less what clocks may differ by.
const TURN: Duration = Duration::from_millis(45);

// === The server ===

/// A runtime on a thread of its own; dropping it ends both.
struct Server {
    handle: tokio::runtime::Handle,
    busy: Arc<AtomicBool>,
    _end: oneshot::Sender<()>,
}

impl Server {
    fn new() -> Self {
        let (give, runtime) = mpsc::channel();
        let (end, ended) = oneshot::channel::<()>();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .event_interval(1)
                .build()
                .unwrap();
            give.send(runtime.handle().clone()).unwrap();
            let _ = runtime.block_on(ended);
        });
        Self {
            handle: runtime.recv().unwrap(),
            busy: Arc::default(),
            _end: end,
        }
    }

    /// Makes the runtime busy, and returns when it is.
    async fn busy(&self) {
        self.busy.store(true, Ordering::Relaxed);
        let started = Arc::new(AtomicUsize::new(0));
        let (busy, count) = (Arc::clone(&self.busy), Arc::clone(&started));
        self.handle.spawn(async move {
            for _ in 0..BURNERS {
                tokio::spawn(burn(Arc::clone(&busy), Arc::clone(&count)));
            }
        });
        while started.load(Ordering::Relaxed) < BURNERS {
            tokio::task::yield_now().await;
        }
    }

    fn calm(&self) {
        self.busy.store(false, Ordering::Relaxed);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.calm();
    }
}

async fn burn(busy: Arc<AtomicBool>, started: Arc<AtomicUsize>) {
    let clock = Clock::system();
    let mut first = true;
    while busy.load(Ordering::Relaxed) {
        let end = clock.now() + BURN;
        while clock.now() < end {
            std::hint::spin_loop();
        }
        if std::mem::take(&mut first) {
            started.fetch_add(1, Ordering::Relaxed);
        }
        // To the end of the run queue: tokio's own `yield_now` would go behind the sockets.
        let mut requeued = false;
        poll_fn(|cx| {
            if std::mem::replace(&mut requeued, true) {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}

/// The outermost service: passes on what it was told of each request's wait.
#[derive(Clone)]
struct Seen<S> {
    inner: S,
    clock: Clock,
    stamp: AcceptStamp,
    tell: mpsc::Sender<Option<Arrival>>,
}

#[derive(Clone)]
struct SeenLayer(mpsc::Sender<Option<Arrival>>);

fn seen() -> (SeenLayer, mpsc::Receiver<Option<Arrival>>) {
    let (tell, told) = mpsc::channel();
    (SeenLayer(tell), told)
}

impl<S> Layer<S> for SeenLayer {
    type Service = Seen<S>;

    fn layer(&self, inner: S) -> Seen<S> {
        Seen {
            inner,
            clock: Clock::system(),
            stamp: AcceptStamp::new(Clock::system()),
            tell: self.0.clone(),
        }
    }
}

impl<S, B> Service<http::Request<B>> for Seen<S>
where
    S: Service<http::Request<B>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<B>) -> S::Future {
        let _ = self.tell.send(self.stamp.take(self.clock.now()));
        self.inner.call(request)
    }
}

async fn bind() -> (TcpListener, SocketAddr) {
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = tcp.local_addr().unwrap();
    (tcp, address)
}

fn router() -> Router {
    Router::new().route("/", get(async || "ok"))
}

/// Serves the router inside of `layer`, with what `listener` makes of the TCP listener.
async fn serve<L>(
    server: &Server,
    layer: SeenLayer,
    listener: impl FnOnce(TcpListener) -> L + Send + 'static,
) -> SocketAddr
where
    L: Listener<Addr = SocketAddr>,
{
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    let address = tcp.local_addr().unwrap();
    let service = ServiceExt::<Request>::into_make_service(layer.layer(router()));
    server.handle.spawn(async move {
        let listener = listener(TcpListener::from_std(tcp).unwrap());
        axum::serve(listener, service).await.unwrap();
    });
    address
}

// === The client ===

type Pending = Pin<Box<dyn Future<Output = http::Response<hyper::body::Incoming>>>>;

/// One connection, already used once and idle since.
enum Connection {
    One(hyper::client::conn::http1::SendRequest<Empty<bytes::Bytes>>),
    Two(hyper::client::conn::http2::SendRequest<Empty<bytes::Bytes>>),
}

#[derive(Clone, Copy, Debug)]
enum Version {
    One,
    Two,
}

impl Connection {
    async fn open(version: Version, address: SocketAddr) -> Self {
        let tcp = TcpStream::connect(address).await.unwrap();
        tcp.set_nodelay(true).unwrap();
        let io = TokioIo::new(tcp);
        let mut connection = match version {
            Version::One => {
                let (send, driver) = hyper::client::conn::http1::handshake(io).await.unwrap();
                tokio::spawn(driver);
                Self::One(send)
            }
            Version::Two => {
                let (send, driver) =
                    hyper::client::conn::http2::handshake(TokioExecutor::new(), io)
                        .await
                        .unwrap();
                tokio::spawn(driver);
                Self::Two(send)
            }
        };
        connection.get().await;
        connection
    }

    fn send(&mut self) -> Pending {
        let uri = "http://localhost/";
        let request = http::Request::get(uri)
            .header("host", "localhost")
            .body(Empty::new())
            .unwrap();
        match self {
            Self::One(send) => {
                let response = send.send_request(request);
                Box::pin(async { response.await.unwrap() })
            }
            Self::Two(send) => {
                let response = send.send_request(request);
                Box::pin(async { response.await.unwrap() })
            }
        }
    }

    async fn get(&mut self) {
        let response = self.send().await;
        assert!(response.status().is_success());
        response.into_body().collect().await.unwrap();
        match self {
            Self::One(send) => send.ready().await.unwrap(),
            Self::Two(send) => send.ready().await.unwrap(),
        }
    }
}

fn all<T>(told: &mpsc::Receiver<T>) -> Vec<T> {
    told.try_iter().collect()
}

fn arrivals(told: &mpsc::Receiver<Option<Arrival>>) -> Vec<Arrival> {
    all(told).into_iter().map(Option::unwrap).collect()
}

// === The tests ===

#[tokio::test]
async fn axum_on_http1_sees_the_socket() {
    let server = Server::new();
    let (layer, told) = seen();
    let waits = SocketWaits::default();
    let wrap = waits.clone();
    let address = serve(&server, layer, move |tcp| StampedListener::new(tcp, &wrap)).await;

    let mut connection = Connection::open(Version::One, address).await;
    all(&told);
    let _ = waits.take();
    server.busy().await;
    connection.get().await;
    server.calm();

    let [arrival] = arrivals(&told)[..] else {
        panic!("one request")
    };
    assert!(arrival.socket >= TURN, "{arrival:?}");
    assert!(arrival.accept < TURN, "{arrival:?}");
    assert_eq!(waits.take().mean(), Some(arrival.socket));

    // The wait belonged to the request, not to the connection.
    connection.get().await;
    let after = arrivals(&told)[0];
    assert!(after.total() < arrival.socket, "{after:?}");
}

#[tokio::test]
async fn axum_on_http2_sees_the_socket_and_the_run_queue_for_every_stream() {
    let server = Server::new();
    let (layer, told) = seen();
    let waits = SocketWaits::default();
    let address = serve(&server, layer, move |tcp| StampedListener::new(tcp, &waits)).await;

    let mut connection = Connection::open(Version::Two, address).await;
    all(&told);
    server.busy().await;
    let streams: Vec<_> = (0..5).map(|_| connection.send()).collect();
    join_all(streams).await;
    server.calm();

    let arrivals_ = arrivals(&told);
    assert_eq!(arrivals_.len(), 5);
    for arrival in &arrivals_ {
        assert!(arrival.socket >= TURN, "{arrivals_:?}");
        assert!(arrival.accept >= TURN, "{arrivals_:?}");
        // They came in one read.
        assert_eq!(arrival.socket, arrivals_[0].socket);
    }

    connection.get().await;
    let after = arrivals(&told)[0];
    assert!(after.total() < arrivals_[0].total(), "{after:?}");
}

#[tokio::test]
async fn tonic_sees_the_socket_and_the_run_queue() {
    let server = Server::new();
    let (layer, told) = seen();
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    let address = tcp.local_addr().unwrap();
    server.handle.spawn(async move {
        let (_, health) = tonic_health::server::health_reporter();
        let tcp = TcpListener::from_std(tcp).unwrap();
        let tcp = tonic::transport::server::TcpIncoming::from(tcp).with_nodelay(Some(true));
        tonic::transport::Server::builder()
            .layer(layer)
            .add_service(health)
            .serve_with_incoming(StampedIncoming::new(tcp, &SocketWaits::default()))
            .await
            .unwrap();
    });

    let channel = tonic::transport::Endpoint::try_from(format!("http://{address}"))
        .unwrap()
        .connect()
        .await
        .unwrap();
    let mut client = tonic_health::pb::health_client::HealthClient::new(channel);
    let check = tonic_health::pb::HealthCheckRequest::default();
    client.check(check.clone()).await.unwrap();
    all(&told);
    server.busy().await;
    client.check(check).await.unwrap();
    server.calm();

    let [arrival] = arrivals(&told)[..] else {
        panic!("one request")
    };
    assert!(arrival.socket >= TURN, "{arrival:?}");
    assert!(arrival.accept >= TURN, "{arrival:?}");
}

#[tokio::test]
async fn without_the_wrapper_nothing_is_known() {
    for version in [Version::One, Version::Two] {
        let server = Server::new();
        let (layer, told) = seen();
        let address = serve(&server, layer, |tcp| tcp).await;
        let mut connection = Connection::open(version, address).await;
        server.busy().await;
        connection.get().await;
        server.calm();
        assert_eq!(all(&told), [None, None], "{version:?}");
    }
}

#[tokio::test]
async fn inside_the_router_only_http1_sees_the_socket() {
    for version in [Version::One, Version::Two] {
        let server = Server::new();
        let (layer, told) = seen();
        let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        let address = tcp.local_addr().unwrap();
        server.handle.spawn(async move {
            let tcp = TcpListener::from_std(tcp).unwrap();
            let listener = StampedListener::new(tcp, &SocketWaits::default());
            axum::serve(listener, router().layer(layer)).await.unwrap();
        });
        let mut connection = Connection::open(version, address).await;
        all(&told);
        server.busy().await;
        connection.get().await;
        server.calm();
        let [arrival] = all(&told)[..] else {
            panic!("one request")
        };
        match version {
            Version::One => assert!(arrival.unwrap().socket >= TURN, "{arrival:?}"),
            Version::Two => assert_eq!(arrival, None),
        }
    }
}

#[tokio::test]
async fn a_transport_on_top_and_pipelining_hide_nothing() {
    let server = Server::new();
    let (layer, told) = seen();
    let (tcp, address) = bind().await;
    let tcp = tcp.into_std().unwrap();
    server.handle.spawn(async move {
        let tcp = TcpListener::from_std(tcp).unwrap();
        let (tcp, _) = tcp.accept().await.unwrap();
        // Buffers, as TLS does.
        let io = BufStream::new(Stamped::new(tcp, &SocketWaits::default()));
        let service = layer.layer(tower::service_fn(async |_| {
            // Not done within the poll that parsed it: the second request must wait for the first.
            tokio::task::yield_now().await;
            Ok::<_, Infallible>(http::Response::new(Empty::<bytes::Bytes>::new()))
        }));
        // A task of its own, as every server gives its connections.
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(io), TowerToHyperService::new(service));
        tokio::spawn(connection).await.unwrap().unwrap();
    });

    let mut tcp = TcpStream::connect(address).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let mut answer = [0; 4096];
    tcp.write_all(request).await.unwrap();
    let length = tcp.read(&mut answer).await.unwrap();
    assert!(answer[..length].starts_with(b"HTTP/1.1 200"));
    all(&told);

    server.busy().await;
    tcp.write_all(&[&request[..], request].concat())
        .await
        .unwrap();
    let mut answers = String::new();
    while answers.matches("HTTP/1.1 200").count() < 2 {
        let length = tcp.read(&mut answer).await.unwrap();
        assert!(length > 0);
        answers += std::str::from_utf8(&answer[..length]).unwrap();
    }
    server.calm();

    let [first, second] = arrivals(&told)[..] else {
        panic!("two requests")
    };
    assert!(first.socket >= TURN, "{first:?}");
    assert_eq!(first.socket, second.socket, "they came in one read");
}

#[tokio::test]
async fn the_peers_address_is_still_there() {
    let (tcp, address) = bind().await;
    let listener = StampedListener::new(tcp, &SocketWaits::default())
        .tap_io(|io| io.get_ref().set_nodelay(true).unwrap());
    let app = Router::new().route(
        "/",
        get(async |ConnectInfo(peer): ConnectInfo<SocketAddr>| peer.to_string()),
    );
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(axum::serve(listener, service).into_future());

    let tcp = TcpStream::connect(address).await.unwrap();
    let local = tcp.local_addr().unwrap();
    let (send, driver) = hyper::client::conn::http1::handshake(TokioIo::new(tcp))
        .await
        .unwrap();
    tokio::spawn(driver);
    let mut connection = Connection::One(send);
    let body = connection.send().await.into_body();
    let body = body.collect().await.unwrap().to_bytes();
    assert_eq!(body, local.to_string());
}

#[tokio::test]
async fn the_probe_sees_a_busy_runtime() {
    let server = Server::new();
    let probe = Probe::start(server.handle.clone(), Clock::system(), Probe::INTERVAL).unwrap();
    let clock = Clock::system();
    let deadline = clock.now() + Duration::from_secs(30);
    let wait_for = async |what: &str, condition: &dyn Fn(Option<Duration>) -> bool| {
        while !condition(probe.wait()) {
            assert!(clock.now() < deadline, "waited in vain: {what}");
            tokio::task::yield_now().await;
        }
    };
    wait_for("calm", &|wait| wait.is_some_and(|wait| wait < TURN)).await;
    server.busy().await;
    wait_for("busy", &|wait| wait >= Some(TURN)).await;
    server.calm();
    wait_for("calm again", &|wait| wait < Some(TURN)).await;
}
