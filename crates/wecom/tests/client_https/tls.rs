//! The default transport over TLS: whom it believes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tokio::{io::AsyncReadExt as _, net::TcpListener};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivatePkcs8KeyDer},
};
use wecom::{Class, Https};

use crate::{
    CALL, OK, Peer, client,
    client_fakes::{Gate, builder},
    serve,
};

/// An authority of an enterprise's own.
struct Authority(CertifiedIssuer<'static, KeyPair>);

// === impl Authority ===

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("a certificate"))
    }

    /// Its certificate in PEM, as an administrator hands it out.
    fn pem(&self) -> String {
        let der = self.0.der();
        let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, der);
        let lines: Vec<_> = base64
            .as_bytes()
            .chunks(64)
            .map(String::from_utf8_lossy)
            .collect();
        let lines = lines.join("\n");
        format!("# ours\n-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n")
    }

    /// Starts a peer that answers well, with a certificate of this authority for `name`; returns its port and how many
    /// connections it has accepted.
    async fn serves(&self, name: &str) -> (u16, Arc<AtomicUsize>) {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        let key = PrivatePkcs8KeyDer::from(key.serialize_der());
        let tls = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key.into())
            .expect("a certificate and its key");
        let tls = TlsAcceptor::from(Arc::new(tls));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let accepted = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, SeqCst);
                let tls = tls.clone();
                tokio::spawn(async move {
                    if let Ok(stream) = tls.accept(stream).await {
                        serve(stream, Peer::Answers(OK)).await;
                    }
                });
            }
        });
        (port, accepted)
    }
}

#[tokio::test]
async fn https_begins_with_a_handshake_for_the_host() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().unwrap().port();
    let hello = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut hello = vec![0; 512];
        let n = stream.read(&mut hello).await.unwrap();
        hello.truncate(n);
        hello
    });
    let client = client(
        &format!("https://localhost:{port}"),
        Duration::from_secs(60),
    );
    let error = client.send(&CALL).await.unwrap_err();
    assert!(format!("{error:?}").contains("Connect"), "{error:?}");
    let hello = hello.await.unwrap();
    // A handshake record, and the name of the host in the clear.
    assert_eq!(hello[..2], [0x16, 0x03]);
    assert!(hello.windows(9).any(|w| w == b"localhost"));
}

#[tokio::test]
async fn a_call_goes_over_tls_to_a_peer_whose_authority_is_given() {
    let authority = Authority::new("ours");
    let (port, accepted) = authority.serves("localhost").await;
    // More than one may be in a file.
    let pem = Authority::new("theirs").pem() + &authority.pem();
    let https = Https::with_roots(pem.as_bytes()).unwrap();
    let settings = builder(&Gate::default()).base_url(format!("https://localhost:{port}"));
    let client = settings.build_with(https).unwrap();
    for _ in 0..3 {
        client.send(&CALL).await.unwrap();
    }
    assert_eq!(accepted.load(SeqCst), 1, "one handshake for all");
}

#[tokio::test]
async fn a_certificate_that_is_not_trusted_is_named_and_each_call_tries_once() {
    let authority = Authority::new("ours");
    let (known, unknown) = (authority.pem(), Authority::new("theirs").pem());
    for (name, roots, told) in [
        (
            "localhost",
            unknown,
            "invalid peer certificate: UnknownIssuer",
        ),
        ("other.test", known, "not valid for name"),
    ] {
        let (port, accepted) = authority.serves(name).await;
        let https = Https::with_roots(roots.as_bytes()).unwrap();
        let settings = builder(&Gate::default()).base_url(format!("https://localhost:{port}"));
        let client = settings.build_with(https).unwrap();
        for calls in 1..=2 {
            let error = client.send(&CALL).await.unwrap_err();
            assert_eq!(error.class(), Class::Transient);
            assert!(!error.may_have_been_applied());
            let text = format!("{error:?}");
            assert!(text.contains("NotConnected"), "{text}");
            assert!(text.contains(told), "{text}");
            assert!(!text.contains("corpsecret"), "{text}");
            assert!(accepted.load(SeqCst) <= calls, "nothing tries for ever");
        }
    }
}
