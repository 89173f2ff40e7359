//! That it serves, closes what it opened, and ends when it is told to.

use std::{
    io::Write as _,
    net::{TcpListener, TcpStream},
};

use super::{Serving, TempFile, run, text};

#[test]
fn it_serves_and_ends_when_told_to() {
    let file = TempFile::new(
        "serve.toml",
        "[[corp]]\nid = \"ww1\"\nsecret = \"secret1\"\nmore_members = 3\n",
    );
    for signal in ["-INT", "-TERM"] {
        let serving = Serving::new(&["--profile", file.path(), "--seed", "9"]);
        let token = serving.ask("GET", "/cgi-bin/gettoken?corpid=ww1&corpsecret=secret1", "");
        assert!(
            token.starts_with("HTTP/1.1 200") && token.contains("access_token"),
            "{token}"
        );
        let corp = serving.ask("GET", "/admin/corps/ww1", "");
        assert!(corp.contains("\"members\":3"), "{corp}");
        let added = serving.ask("POST", "/admin/corps", "{\"id\":\"ww2\",\"secret\":\"s\"}");
        assert!(added.starts_with("HTTP/1.1 200"), "{added}");
        let wrong = serving.ask("POST", "/admin/corps", "{");
        assert!(wrong.starts_with("HTTP/1.1 400"), "{wrong}");
        assert_eq!(serving.end(signal).code(), Some(0), "{signal}");
    }
}

#[test]
fn it_ends_although_a_caller_waits_for_an_answer_that_never_comes() {
    let file = TempFile::new(
        "hang.toml",
        "[[fault]]\nkind = \"timeout-before\"\n[[corp]]\nid = \"ww1\"\nsecret = \"secret1\"\n",
    );
    let serving = Serving::new(&["--profile", file.path()]);
    let mut stream = TcpStream::connect(serving.addr).unwrap();
    let request = "GET /cgi-bin/gettoken?corpid=ww1&corpsecret=secret1 HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    assert_eq!(serving.end("-TERM").code(), Some(0));
}

#[test]
fn a_port_that_is_taken_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let served = run(&["serve", "--listen", &addr]);
    assert_eq!(served.status.code(), Some(2));
    let told = text(&served.stderr);
    assert!(told.starts_with(&format!("--listen {addr}: ")), "{told}");
    assert!(served.stdout.is_empty());
}

#[test]
fn other_machines_are_let_in_only_if_that_is_meant() {
    for listen in ["0.0.0.0:0", "[::]:0", "10.1.2.3:0"] {
        let served = run(&["serve", "--listen", listen]);
        assert_eq!(served.status.code(), Some(2), "{listen}");
        assert!(text(&served.stderr).contains("--expose"), "{served:?}");
    }
}

#[test]
fn a_listener_is_closed_when_it_ends() {
    for signal in ["-INT", "-TERM"] {
        let serving = Serving::new(&[]);
        let addr = serving.addr;
        let idle = TcpStream::connect(addr).unwrap();
        assert_eq!(serving.end(signal).code(), Some(0), "{signal}");
        assert!(TcpStream::connect(addr).is_err(), "{signal}");
        drop(idle);
        TcpListener::bind(addr).unwrap();
    }
}
