//! A party that must end tells its peer why, at once and on every connection.

use std::thread;
use std::time::{Duration, Instant};

use hushtable::bill::Bill;
use hushtable::error::Ending;
use hushtable::net::{Farewell, Options};
use hushtable::operation::{Material, Operation, Port, Signature, Words, spend};
use hushtable::ot::Setting;
use hushtable::run::{self, Ready, Reveal, Unwatched};
use hushtable::source::Origin;
use hushtable::{Error, Party, Result, Role};

use super::net_support::{MIB, plain, session};

/// Patience that a test would not outlast.
fn patient() -> Options {
    let long = Duration::from_secs(60);
    plain().timeout(long).idle(long)
}

fn with(farewell: &Farewell) -> Options {
    patient().farewell(farewell.clone())
}

/// That the wait ended by the peer's word, soon.
#[track_caller]
fn told<T>(outcome: Result<T>, since: Instant, wanted: Ending) {
    let error = outcome.err().expect("an error");
    assert!(matches!(error, Error::Ended(why) if why == wanted), "{error}");
    assert!(error.to_string().starts_with("the peer ended: "), "{error}");
    assert!(since.elapsed() < Duration::from_secs(30), "{:?}", since.elapsed());
}

#[test]
fn it_reaches_every_lane_behind_what_was_sent() {
    let farewell = Farewell::default();
    let (begin, begun) = std::sync::mpsc::channel();
    session(
        with(&farewell),
        patient(),
        |mut p0| {
            let mut lanes = p0.fork(2).unwrap();
            lanes[0].channel().send(vec![7; 3 * MIB]).unwrap();
            begin.send(Instant::now()).unwrap();
            farewell.say(Ending::Local);
            // What is said first counts, and nothing more can be sent.
            farewell.say(Ending::Input);
            assert!(matches!(lanes[1].channel().send(vec![1]), Err(Error::Closed)));
            farewell.wait(Duration::from_secs(1));
        },
        move |mut p1| {
            let mut lanes = p1.fork(2).unwrap();
            let since = begun.recv().unwrap();
            assert_eq!(lanes[0].channel().recv(3 * MIB).unwrap(), vec![7; 3 * MIB]);
            told(lanes[0].channel().recv(1), since, Ending::Local);
            assert!(matches!(lanes[0].channel().recv(1), Err(Error::Closed)));
            told(lanes[1].channel().recv(1), since, Ending::Local);
            told(p1.channel().exchange(vec![1], 1), since, Ending::Local);
        },
    );
}

#[test]
fn a_peer_that_sends_finds_it() {
    let farewell = Farewell::default();
    session(
        with(&farewell),
        patient(),
        |p0| {
            farewell.say(Ending::Interrupted);
            drop(p0);
        },
        |mut p1| {
            let since = Instant::now();
            // More than all queues on the way hold, and than is taken while the peer hangs up.
            let send = (0..100_000).try_for_each(|_| p1.channel().send(vec![1; MIB]));
            told(send, since, Ending::Interrupted);
        },
    );
}

#[test]
fn who_connects_later_finds_it() {
    let farewell = Farewell::default();
    farewell.say(Ending::Input);
    session(with(&farewell), patient(), drop, |mut p1| {
        told(p1.channel().recv(1), Instant::now(), Ending::Input);
    });
}

#[test]
fn who_hangs_up_without_a_word_has_said_nothing() {
    session(patient(), patient(), drop, |mut p1| {
        assert!(matches!(p1.channel().recv(1), Err(Error::Closed)));
    });
}

/// One item a batch. The second lane of P0 finds its store damaged; everybody else waits for the other.
struct Damaged;

impl Operation for Damaged {
    fn name(&self) -> String {
        "damaged".into()
    }

    fn method(&self) -> String {
        "none".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn signature(&self) -> Signature {
        let number = Port::additive("number", 8);
        Signature::new([number], number)
    }

    fn bill(&self, _: usize, _: &Setting) -> Result<Bill> {
        Ok(Bill::default())
    }

    fn most(&self) -> usize {
        1
    }

    fn material(&self, _: &mut Origin<'_>, _: usize) -> Result<Box<dyn Material>> {
        Ok(spend(1, |s, given| match (s.role(), given[0][0]) {
            (Role::P0, 1) => Err(Error::Store("damaged".into())),
            _ => s.recv(1).map(|_| vec![Words::new(vec![0])]),
        }))
    }
}

#[test]
fn a_lane_that_fails_ends_the_others_at_both_parties() {
    let since = Instant::now();
    let lanes = |connection| {
        let mut lanes = Party::new(connection, None).unwrap().fork(2).unwrap();
        let ready = vec![Ready::default(), Ready::default()];
        run::run(&Damaged, &mut lanes, ready, &[&[0, 1]], Reveal::Both, &Unwatched).map(drop)
    };
    let (mine, theirs) = session(patient(), patient(), lanes, lanes);
    assert!(matches!(mine, Err(Error::Store(_))), "{mine:?}");
    told(theirs, since, Ending::Local);
}

#[test]
fn it_can_be_said_while_another_thread_waits() {
    let farewell = Farewell::default();
    session(
        with(&farewell),
        patient(),
        |mut p0| {
            let other = farewell.clone();
            thread::scope(|scope| {
                scope.spawn(move || other.say(Ending::Interrupted));
                assert!(matches!(p0.channel().recv(1), Err(Error::Closed)));
            });
        },
        |mut p1| told(p1.channel().recv(1), Instant::now(), Ending::Interrupted),
    );
}
