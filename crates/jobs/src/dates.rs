//! How dates are written in files of columns.

use apps::ids::DateOrder;
use clap::ValueEnum;

/// In which order dates are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Dates {
    /// 31.1.2024
    Dmy,
    /// 1/31/2024
    Mdy,
    /// 2024-01-31
    Ymd,
}

impl From<Dates> for DateOrder {
    fn from(dates: Dates) -> Self {
        match dates {
            Dates::Dmy => Self::DayMonthYear,
            Dates::Mdy => Self::MonthDayYear,
            Dates::Ymd => Self::YearMonthDay,
        }
    }
}
