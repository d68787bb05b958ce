//! Biometric fusion beside its mean in floating point, over generated scores.

#[path = "../examples/fusion.rs"]
mod example;

use std::{env, path::Path, process::Command};

use hushtable::{Party, Result, operation::Operation, run_pair};
use hushtable_apps::fusion::Fusion;
use prim::{block::Block, prg::Prg};

/// Scores of `devices` devices for some people, multiples of `2^-fraction`: of half of the people high ones.
fn generated(fraction: u32, devices: usize, people: usize) -> Vec<Vec<u64>> {
    let mut words = vec![0u64; devices * people];
    Prg::new(Block(31)).words(fraction, &mut words);
    let top = (1 << fraction) - 1;
    let score =
        |i: usize, w: u64| if (i % people).is_multiple_of(2) { w } else { top - w * w / (4 << fraction) };
    let all: Vec<u64> = words.iter().enumerate().map(|(i, w)| score(i, *w)).collect();
    all.chunks(people).map(<[u64]>::to_vec).collect()
}

fn asked(fusion: &Fusion, scores: &[Vec<u64>]) -> Vec<u64> {
    let people = scores[0].len();
    let mut masks = vec![0u64; scores.len() * people];
    Prg::new(Block(32)).words(40, &mut masks);
    let job = |p: &mut Party| -> Result<Vec<u64>> {
        let share = |(device, scores): (usize, &Vec<u64>)| {
            let masks = &masks[device * people..];
            let pairs = scores.iter().zip(masks);
            pairs
                .map(|(s, m)| if p.role() == hushtable::Role::P0 { *m } else { s.wrapping_sub(*m) })
                .collect()
        };
        let operands: Vec<Vec<u64>> = scores.iter().enumerate().map(share).collect();
        let operands: Vec<&[u64]> = operands.iter().map(Vec::as_slice).collect();
        let found = fusion.prepare(p, people)?.eval(p, &operands)?;
        p.barrier()?;
        Ok(found[0].to_vec())
    };
    let (a, b) = run_pair(Party::pair_seeded(8).unwrap(), job, job).unwrap();
    a.iter().zip(&b).map(|(a, b)| (a ^ b) & 1).collect()
}

#[test]
fn decisions_are_those_of_the_mean() {
    let weights = [0.5, 1.0, 0.25, 2.0];
    let scores = generated(8, 4, 600);
    for threshold in [0.3, 0.8, 0.97] {
        let fusion = Fusion::new(8, &weights, threshold).unwrap();
        let (mut yes, mut near) = (0, 0);
        for (person, bit) in asked(&fusion, &scores).into_iter().enumerate() {
            let own: Vec<f64> = scores.iter().map(|device| device[person] as f64 / 256.0).collect();
            let mean = Fusion::mean(&weights, &own);
            yes += bit;
            // Tangents are rounded to 2^-12.
            if (mean - threshold).abs() < 2e-4 {
                near += 1;
            } else {
                assert_eq!(bit == 1, mean >= threshold, "{own:?}: {mean}, not {threshold}");
            }
        }
        assert!((30..590).contains(&yes) && near < 10, "{yes} of 600, {near} near");
    }
}

/// Who has the threshold itself as all scores reaches it, and nobody below.
#[test]
fn the_threshold_itself_is_reached() {
    for (fraction, step) in [(4, 1), (8, 5)] {
        for at in (1..1u64 << fraction).step_by(step) {
            let fusion = Fusion::new(fraction, &[1.0, 0.5], at as f64 / f64::from(1u32 << fraction)).unwrap();
            assert_eq!(asked(&fusion, &[vec![at, at - 1], vec![at, at - 1]]), [1, 0], "{at} of 2^{fraction}");
        }
    }
}

/// The ends: nothing, and as sure as a score can be.
#[test]
fn a_device_that_is_sure_decides() {
    let fusion = Fusion::new(12, &[1.0, 63.0], 0.97).unwrap();
    let top = (1 << 12) - 1;
    assert_eq!(asked(&fusion, &[vec![0, top, 0, top, 2048], vec![0, 0, top, top, 2048]]), [0, 1, 1, 1, 0]);
}

#[test]
fn what_is_refused() {
    for (fraction, weights, threshold, says) in [
        (0, &[1.0][..], 0.5, "bits behind"),
        (13, &[1.0], 0.5, "bits behind"),
        (8, &[], 0.5, "weights"),
        (8, &[1.0, 0.0], 0.5, "weights"),
        (8, &[1.0, -1.0], 0.5, "weights"),
        (8, &[f64::NAN, 1.0], 0.5, "weights"),
        (8, &[65.0], 0.5, "weights"),
        (
            8,
            &[1.0, 0.1],
            0.5,
            "weights: 0.1 is not supported; accepted: multiples of 1/256; the nearest is 0.1015625",
        ),
        (8, &[1e-9], 0.5, "the nearest is 0.00390625"),
        (8, &[1.0 / 512.0; 32768], 0.5, "weights: 0.001953125 is not"),
        (8, &[1.0], 0.0, "threshold"),
        (8, &[1.0], 1.0, "threshold"),
        (8, &[1.0], f64::NAN, "threshold"),
    ] {
        let error = Fusion::new(fraction, weights, threshold).err().map(|e| e.to_string());
        assert!(error.is_some_and(|e| e.contains(says)), "{fraction} {weights:?} {threshold}");
    }
}

/// The example as two processes: this program, which runs the ignored test below.
#[test]
fn the_example_decides_as_plaintext_does() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/fusion");
    let start = |args: &[&str]| {
        let mut command = Command::new(env::current_exe()?);
        command.args(["--exact", "fusion::party_of_the_example", "--ignored", "--nocapture"]);
        command.env("FUSION_EXAMPLE", args.join("\n"));
        Ok(command)
    };
    let text = example::both(&data, start).expect("both parties");
    assert!(text.contains("400 of 400 decisions are the same as in plaintext"), "{text}");
}

/// One party, when the test above starts it.
#[test]
#[ignore = "a part of another test"]
fn party_of_the_example() {
    let args = env::var("FUSION_EXAMPLE").expect("started by the test above");
    println!();
    example::party(&args.lines().map(str::to_owned).collect::<Vec<_>>()).expect("an honest run");
}

#[test]
fn the_example_refuses_other_files() {
    let dir = env::temp_dir().join(format!("hushtable-fusion-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("scores.csv");
    for (text, says) in [
        ("id,a,b\nv1,0.5,1.0\n", "line 2: expected an id and 2 scores of 0 to below 1"),
        ("id,a,b\nv1,0.5,0.9\nv2,0.5\n", "line 3"),
        ("id,a,b\nv1,0.5,0.9\nv2,0.5,0.9,0.1\n", "line 3: expected an id and 2 scores"),
        ("id,a,b\nv1,x,0.9\n", "line 2"),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = example::read(&file).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains(says), "{error}");
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
