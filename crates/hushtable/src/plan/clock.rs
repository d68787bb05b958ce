//! How far the parties are, message by message.

/// Which of the parties send.
pub(super) type Senders = [bool; 2];

/// How far the parties are: in messages waited for one after the other, or in delays of the link.
#[derive(Clone, Copy)]
pub(super) struct Clock(pub [u32; 2]);

impl Clock {
    /// When each party has what the other sent.
    pub(super) fn after(self, messages: &[Senders]) -> Self {
        let later = |Self([p0, p1]): Self, [first, second]: &Senders| {
            let to_p0 = if *second { p0.max(p1 + 1) } else { p0 };
            let to_p1 = if *first { p1.max(p0 + 1) } else { p1 };
            Self([to_p0, to_p1])
        };
        messages.iter().fold(self, later)
    }

    /// What the slower party waited for since `start`.
    pub(super) fn since(self, start: Self) -> u32 {
        let Self([p0, p1]) = self;
        (p0 - start.0[0]).max(p1 - start.0[1])
    }
}
