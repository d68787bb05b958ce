//! Chi-square, as the distance from expectation in standard deviations.
#![allow(dead_code)] // not every test uses all of it

/// How far counts are from uniform. Honest counts stay below 5 or so.
pub fn uniform(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    assert!(expected >= 5.0, "too few samples: {expected} a cell");
    let chi2: f64 = counts.iter().map(|&c| (c as f64 - expected).powi(2) / expected).sum();
    deviations(chi2, counts.len() - 1)
}

/// How far two histograms are from being samples of one distribution.
pub fn homogeneous(a: &[u64], b: &[u64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let (total_a, total_b) = (a.iter().sum::<u64>() as f64, b.iter().sum::<u64>() as f64);
    let (mut chi2, mut cells) = (0.0, 0);
    for (&a, &b) in a.iter().zip(b).filter(|&(a, b)| a + b > 0) {
        let scaled = a as f64 * (total_b / total_a).sqrt() - b as f64 * (total_a / total_b).sqrt();
        chi2 += scaled.powi(2) / (a + b) as f64;
        cells += 1;
    }
    deviations(chi2, cells - 1)
}

fn deviations(chi2: f64, freedom: usize) -> f64 {
    (chi2 - freedom as f64) / (2.0 * freedom as f64).sqrt()
}
