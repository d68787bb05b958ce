//! A listening party that serves many.

use std::{io::Write, net::TcpStream, thread, time::Duration};

use hushtable::{
    Error, Role,
    error::Ending,
    net::{Connection, Farewell, Identity, Listener, connect},
};

use crate::net_support::{Folders, plain, secure, trust};

const SOON: Duration = Duration::from_secs(20);

#[test]
fn one_after_another_and_side_by_side() {
    let listener = Listener::bind("127.0.0.1:0", plain()).unwrap();
    let address = listener.local_addr().to_string();
    let mut visitors = listener.visitors().unwrap();
    assert!(visitors.next(Duration::from_millis(1)).unwrap().is_none(), "nobody there");
    // Strangers hold nobody up.
    let silent = TcpStream::connect(&address).unwrap();
    TcpStream::connect(&address).unwrap().write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    thread::scope(|scope| {
        let calls: Vec<_> = (0..5u8)
            .map(|i| {
                let address = &address;
                scope.spawn(move || {
                    let mut c = connect(address, plain()).unwrap();
                    assert_eq!(c.role(), Role::P1);
                    c.channel().send(vec![i]).unwrap();
                    (c.id(), c.channel().recv(1).unwrap())
                })
            })
            .collect();
        let mut here: Vec<_> = (0..5).map(|_| visitors.next(SOON).unwrap().expect("a visitor")).collect();
        let ids: Vec<_> = here.iter().map(|c| c.id()).collect();
        for c in &mut here {
            let said = c.channel().recv(1).unwrap();
            c.channel().send(said).unwrap();
        }
        for (i, call) in calls.into_iter().enumerate() {
            let (id, said) = call.join().unwrap();
            assert_eq!(said, [i as u8]);
            assert!(ids.contains(&id));
        }
    });
    drop(silent);
}

/// What a session says at its end reaches its own client only; what the party says reaches all, also those who come later.
#[test]
fn a_session_ends_no_other() {
    let farewell = Farewell::default();
    let listener = Listener::bind("127.0.0.1:0", plain().farewell(farewell.clone())).unwrap();
    let address = listener.local_addr().to_string();
    let mut visitors = listener.visitors().unwrap();
    // Patience that a busy machine does not try.
    let long = Duration::from_secs(60);
    let patient = || plain().timeout(long).idle(long);
    let mut visit = || {
        thread::scope(|scope| {
            let client = scope.spawn(|| connect(&address, patient()).unwrap());
            let here = visitors.next(long).unwrap().expect("a visitor");
            (here, client.join().unwrap())
        })
    };
    let works = |(here, client): &mut (Connection, Connection)| {
        here.channel().send(vec![5]).unwrap();
        assert_eq!(client.channel().recv(1).unwrap(), [5]);
    };
    let told = |client: &mut Connection, wanted| match client.channel().recv(1) {
        Err(Error::Ended(why)) => assert_eq!(why, wanted),
        other => panic!("{other:?}"),
    };
    let (mut failing, mut beside) = (visit(), visit());
    works(&mut failing);
    failing.0.channel().end(Ending::Local);
    assert!(matches!(failing.0.channel().send(vec![1]), Err(Error::Closed)));
    told(&mut failing.1, Ending::Local);
    works(&mut beside);
    let mut later = visit();
    works(&mut later);
    // The end of all.
    farewell.say(Ending::Interrupted);
    told(&mut beside.1, Ending::Interrupted);
    told(&mut later.1, Ending::Interrupted);
    told(&mut visit().1, Ending::Interrupted);
}

#[test]
fn only_guests_come_in_and_they_may_change() {
    let folders = Folders::strangers();
    trust(&folders.telecom, &folders.bank, None);
    let eve = folders.root.path().join("eve.id");
    Identity::create(&eve, "eve").unwrap();
    trust(&eve, &folders.bank, None);
    trust(&folders.bank, &folders.telecom, None);
    let options = |names: &[&str]| secure(&folders.bank).guests(names.to_vec());
    let listener = Listener::bind("127.0.0.1:0", options(&["telecom"])).unwrap();
    let address = listener.local_addr().to_string();
    let comes = |listener: &Listener, who: &std::path::Path| {
        thread::scope(|scope| {
            let call = scope.spawn(|| connect(&address, secure(who)).is_ok());
            let mut visitors = listener.visitors().unwrap();
            let mut name = None;
            while name.is_none() && !call.is_finished() {
                name = visitors.next(Duration::from_millis(50)).unwrap().map(|c| c.peer_name().to_owned());
            }
            (name, call.join().unwrap())
        })
    };
    assert_eq!(comes(&listener, &folders.telecom), (Some("telecom".into()), true));
    assert_eq!(comes(&listener, &eve), (None, false));
    // Trusted from now on, at the same port.
    trust(&folders.bank, &eve, None);
    let renewed = listener.renewed(options(&["eve", "telecom"])).unwrap();
    assert_eq!(renewed.local_addr(), listener.local_addr());
    assert_eq!(comes(&renewed, &eve), (Some("eve".into()), true));
    assert_eq!(comes(&renewed, &folders.telecom), (Some("telecom".into()), true));
    let only = listener.renewed(options(&["eve"])).unwrap();
    assert_eq!(comes(&only, &eve), (Some("eve".into()), true));
    assert_eq!(comes(&only, &folders.telecom), (None, false));
    assert!(listener.renewed(options(&["nobody"])).is_err());
    let none = listener.renewed(options(&[])).unwrap();
    assert_eq!(comes(&none, &eve), (None, false));
    assert_eq!(comes(&none, &folders.telecom), (None, false));
}
