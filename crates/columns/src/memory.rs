//! Whether memory holds what a file or a batch will take.

use std::fs;

use crate::{
    failure::{Failure, Result},
    units::bytes,
};

/// Most bytes where the system does not tell how many are free.
const UNTOLD: u64 = 16 << 30;

/// `Ok(())` if this machine has that much memory free, or if the system does not tell and it is no more than 16 GiB.
pub fn fits(wanted: u64, what: &str) -> Result<()> {
    match available() {
        Some(free) if free < wanted => Err(Failure::local(format!(
            "{what} would take about {} of memory, and {} are free: take a smaller batch",
            bytes(wanted),
            bytes(free)
        ))),
        None if wanted > UNTOLD => Err(Failure::local(format!(
            "{what} would take about {} of memory; accepted where the system does not tell how much is free: {}",
            bytes(wanted),
            bytes(UNTOLD)
        ))),
        _ => Ok(()),
    }
}

/// What a batch may take where so many are in memory together: of a quarter of what is free its part, so that there is
/// room for columns and results, and `most` at most.
pub fn for_a_batch(most: u64, together: usize) -> u64 {
    available().map_or(most, |free| most.min(free / 4 / together.max(1) as u64))
}

/// What the machine has free, and the limits of this process and of its group leave.
fn available() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let (status, limits) = (read("/proc/self/status"), read("/proc/self/limits"));
    let free = kilobytes(&read("/proc/meminfo"), "MemAvailable:");
    let left = |most: Option<u64>, used: Option<u64>| Some(most?.saturating_sub(used.unwrap_or(0)));
    let number = |path: &str| read(path).trim().parse::<u64>().ok();
    // Files that it has read count too, and make room.
    let group = || {
        number("/sys/fs/cgroup/memory.current")?
            .checked_sub(limit(&read("/sys/fs/cgroup/memory.stat"), "inactive_file")?)
    };
    [
        free,
        left(limit(&limits, "Max address space"), kilobytes(&status, "VmSize:")),
        left(limit(&limits, "Max data size"), kilobytes(&status, "VmData:")),
        left(number("/sys/fs/cgroup/memory.max"), group()),
    ]
    .into_iter()
    .flatten()
    .min()
}

/// The number in the line that begins so.
fn kilobytes(text: &str, begins: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(begins))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// A limit in bytes, if there is one.
fn limit(limits: &str, name: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_processes() {
        let limits = "Limit     Soft Limit    Hard Limit   Units\nMax data size     unlimited   unlimited  bytes\n\
                      Max address space   6442450944   unlimited   bytes\n";
        assert_eq!(limit(limits, "Max address space"), Some(6 << 30));
        assert_eq!(limit(limits, "Max data size"), None);
        assert_eq!(kilobytes("VmPeak:\t 9 kB\nVmSize:\t   2048 kB\n", "VmSize:"), Some(2 << 20));
        assert_eq!(kilobytes("", "VmSize:"), None);
    }

    #[test]
    fn memory() {
        fits(1, "a byte").unwrap();
        if available().is_some() {
            let error = fits(u64::MAX, "everything").unwrap_err().to_string();
            assert!(error.starts_with("everything would take about "), "{error}");
        }
    }
}
