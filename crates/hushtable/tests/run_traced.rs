//! A run as events of `tracing`.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use hushtable::{
    Party, Result, Role,
    prelude::{Bands, Job, Objective, Reveal},
    run::{Traced, Unwatched},
    run_pair,
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::set_global_default,
};

/// Keeps the events' targets, and the names of their fields with their values.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<String>>>);

impl Subscriber for Kept {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        struct Text(String);
        impl Visit for Text {
            fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
                if field.name() != "seconds" {
                    self.0 += &format!(" {}={value:?}", field.name());
                }
            }
        }
        let mut text = Text(event.metadata().target().into());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[test]
fn a_run_is_told_by_phase() {
    let kept = Kept::default();
    // One for a thread is not asked for callsites that another thread met first.
    set_global_default(kept.clone()).unwrap();
    let party = |p: &mut Party| -> Result<Option<Vec<i64>>> {
        let bands = Bands::new(16, vec![10], Objective::Total)?;
        let mine = [[4, 20], [5, 0]][p.role() as usize];
        let job = Job::new(&bands).on(&mine).reveal(Reveal::Both);
        let done = match p.role() {
            Role::P0 => job.watched(&Traced(&Unwatched)).run(p),
            Role::P1 => job.run(p),
        };
        Ok(done?.values())
    };
    let (at_p0, _) = run_pair(Party::pair_seeded(1).unwrap(), party, party).unwrap();
    assert_eq!(at_p0, Some(vec![0, 1]));
    let events = kept.0.lock().unwrap();
    let count = |text: &str| events.iter().filter(|event| event.contains(text)).count();
    assert!(events.iter().all(|event| event.starts_with("hushtable::run ")), "{events:?}");
    assert_eq!(
        (count("phase=\"offline\""), count("phase=\"online\""), count("items=2")),
        (1, 2, 1),
        "{events:?}"
    );
}
