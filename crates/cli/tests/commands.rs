//! Every other subcommand: demo, bench, identity, doctor, info, help.

mod common;

use common::Site;
use serde_json::Value;

#[test]
fn demo_shows_right_results() {
    let site = Site::without_identities();
    for args in ["demo", "demo --net 300:2ms"] {
        let out = site.run(args).ok().stdout;
        for wanted in [
            "customers",
            "The bank (P0, listens) holds:",
            "The telecom company (P1, connects) holds:",
            "C100006",
            "largest difference of all 1000: 0.000",
            "set-up",
            "offline",
            "online",
            "rounds",
        ] {
            assert!(out.contains(wanted), "{wanted}: {out}");
        }
    }
    assert_eq!(site.names(), [""; 0], "the demo leaves nothing in the folder where it is run");
}

/// The line of JSON that `bench` prints.
fn bench(site: &Site, args: &str) -> Value {
    let done = site.run(&format!("bench {args} --format json")).ok();
    assert_eq!(done.stdout.lines().count(), 1, "{done:?}");
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(report["verified"], true);
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    for phase in ["setup", "offline", "online"] {
        assert!(report[phase]["seconds"].as_f64().unwrap() >= 0.0);
        assert!(report[phase]["rounds"].is_u64());
        assert_eq!(report[phase]["bytes"].as_array().unwrap().len(), 2);
    }
    report
}

fn keys(report: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn bench_lut_verifies_every_kind_of_lookup() {
    let site = Site::without_identities();
    for (protocol, index, output, rounds) in [
        ("rotl", "additive", "additive", 2),
        ("rotl", "xor", "additive", 2),
        ("rotl", "additive", "xor", 1),
        ("rotl", "xor", "xor", 1),
        ("splut", "additive", "additive", 2),
        ("splut", "xor", "additive", 2),
        ("splut", "additive", "xor", 2),
        ("splut", "xor", "xor", 2),
    ] {
        for bits in [1, 13, 64] {
            let report = bench(
                &site,
                &format!(
                    "lut --protocol {protocol} --index {index} --output {output} --index-bits 5 --value-bits {bits} \
                     --batch 1000 --threads 2 --net lan"
                ),
            );
            assert_eq!(
                [&report["kind"], &report["protocol"], &report["index"], &report["output"]],
                ["lut", protocol, index, output]
            );
            let round = if bits == 1 { 1..=rounds } else { rounds..=rounds };
            assert!(round.contains(&report["online"]["rounds"].as_u64().unwrap()), "{report}");
        }
    }
}

#[test]
fn bench_lut_keeps_its_contract() {
    let site = Site::without_identities();
    let report = bench(&site, "lut --batch 4096 --index-bits 8 --value-bits 64 --tls --repeat 3");
    let expected = [
        "batch",
        "bits_per_item",
        "cpu",
        "index",
        "index_bits",
        "kind",
        "net",
        "offline",
        "online",
        "output",
        "peak_rss_bytes",
        "protocol",
        "setup",
        "threads",
        "us_per_item",
        "value_bits",
        "verified",
        "version",
    ];
    assert_eq!(keys(&report), expected);
    assert_eq!(keys(&report["net"]), ["mbit_per_s", "name", "rtt_ms"]);
    // 8 bits of the index and 63 of the value, each way, and a header for each message.
    let online = report["bits_per_item"]["online"].as_f64().unwrap();
    assert!((142.0..142.2).contains(&online), "{online}");
    let rss = report["peak_rss_bytes"][0].as_u64().unwrap();
    assert!((1 << 20..300 << 20).contains(&rss), "{rss}");
}

#[test]
fn bench_ot_keeps_its_contract() {
    let site = Site::without_identities();
    for (scheme, count) in [("ferret", 200_000), ("ferret", 10), ("iknp", 5000), ("softspoken", 5000)] {
        for threads in [1, 2] {
            let report = bench(&site, &format!("ot --scheme {scheme} --count {count} --threads {threads}"));
            assert_eq!([&report["kind"], &report["scheme"]], ["ot", scheme]);
            assert_eq!([&report["count"], &report["threads"]], [count, threads]);
            let expected = [
                "bits_per_item",
                "count",
                "cpu",
                "kind",
                "net",
                "of",
                "offline",
                "online",
                "peak_rss_bytes",
                "scheme",
                "setup",
                "threads",
                "us_per_item",
                "verified",
                "version",
            ];
            assert_eq!(keys(&report), expected);
        }
    }
    let report = bench(&site, "ot --count 100 --scheme iknp --net 10:1ms");
    assert_eq!([&report["net"]["mbit_per_s"], &report["net"]["rtt_ms"]], [10.0, 1.0]);
    for source in ["silent", "nmt"] {
        let report = bench(&site, &format!("triples --source {source} --count 3000 --threads 2"));
        assert_eq!([&report["source"], &report["count"]], [&Value::from(source), &Value::from(3000)]);
        let bits = report["bits_per_item"]["online"].as_f64().unwrap();
        assert!((4.0..4.5).contains(&bits), "2 bits each way, and a frame a lane: {bits}");
    }
    let table = site.run("bench ot --count 100 --scheme softspoken").ok().stdout;
    assert!(table.contains("all 100 results verified"), "{table}");
}

#[test]
fn bench_inference_is_exact_to_few_units() {
    let site = Site::without_identities();
    for (args, most) in [
        ("--shape gpt2-softmax --rows 9 --piece 4", 2.0),
        ("--shape gpt2-gelu --rows 1", 2.6),
        ("--shape block --sequence 6 --width 8 --heads 2", 200.0),
    ] {
        let report = bench(&site, &format!("inference {args}"));
        let accuracy = &report["accuracy"];
        let max = accuracy["max_ulp"].as_f64().unwrap();
        assert!(
            0.0 < max && max <= most && accuracy["mean_ulp"].as_f64().unwrap() < max,
            "{args}: {accuracy}"
        );
    }
    let refused = site.run("bench inference --shape block --width 512 --max-bytes 1000000");
    refused.fails("above --max-bytes 1 MB");
    assert!(refused.stderr.contains("linear layers at width 4096"), "{refused:?}");
    site.run("bench inference --shape gpt2-gelu --piece 256 --max-memory 100000000").fails("--max-memory");
    site.run("bench inference --shape block --bits 30").fails("at least 33");
    site.run("bench inference --shape block --width 10 --heads 3").fails("heads of a block: 3");
}

#[test]
fn bench_refuses_what_it_cannot_measure() {
    let site = Site::without_identities();
    for args in [
        "lut --index-bits 21",
        "lut --value-bits 65",
        "lut --value-bits 0",
        "lut --batch 0",
        "lut --protocol none",
        "lut --net 5",
        "ot --count 0",
        "ot --scheme none",
        "triples --count 0",
        "triples --source nmt --t 5",
    ] {
        let done = site.run(&format!("bench {args}"));
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{args}: {done:?}");
    }
}

#[test]
fn identities_know_each_other() {
    let site = Site::without_identities();
    let made = site.run("identity new --name bank --out bank.id").ok().stdout;
    let shown = site.run("identity show --identity bank.id").ok().stdout;
    assert_eq!(made, shown);
    let fingerprint = site.fingerprint("bank");
    assert_eq!(fingerprint.len(), 95, "{fingerprint}");
    site.run("identity new --name telecom --out telecom.id").ok();

    // Not before somebody has compared.
    let trust = "identity trust --identity telecom.id bank.id/cert.pem";
    site.run(trust).fails("nobody compared the fingerprint");
    site.run(&format!("{trust} --fingerprint {}", site.fingerprint("telecom")))
        .fails("not the peer's certificate");
    assert_eq!(site.run(&format!("{trust} --fingerprint 5F:02")).code, 2);
    let list = || site.run("identity list --identity telecom.id").ok().stdout;
    assert_eq!(list(), "");
    let trusted = site.run(&format!("{trust} --name shop --fingerprint {}", fingerprint.to_lowercase())).ok();
    assert_eq!(trusted.stdout, format!("trusted from now on: shop {fingerprint}\n"));
    assert_eq!(list(), format!("shop  {fingerprint}\n"));

    let rotated = site.run("identity rotate --identity bank.id").ok().stdout;
    assert!(rotated.starts_with("name         bank\n") && !rotated.contains(&fingerprint), "{rotated}");
    site.run("identity untrust --identity telecom.id bank").fails("it trusts: shop");
    let gone = site.run("identity untrust --identity telecom.id shop").ok().stdout;
    assert_eq!((gone, list()), (format!("trusted no longer: shop {fingerprint}\n"), String::new()));
    #[cfg(unix)]
    assert_eq!(common::mode(&site.path("bank.id/key.pem")), 0o600);
}

#[test]
fn doctor_names_the_step() {
    let site = Site::new();
    site.write("a.csv", "id,score\nx,1\n");
    site.run("identity new --name stranger --out stranger.id").ok();
    let waiting = "apply sigmoid --column score --input a.csv --output out.csv --quiet";

    // The waiting party goes on waiting, and does its job afterwards.
    let p0 = site.listen(&format!("{waiting} --identity bank.id"));
    let done = site.run(&format!("doctor --identity telecom.id --connect {}", p0.address)).ok();
    for stage in ["name", "tcp", "tls", "pin", "version", "parameters"] {
        let line = done.stdout.lines().find(|line| line.starts_with(stage));
        assert!(line.is_some_and(|line| line.contains(" ok ")), "{stage}: {done:?}");
    }
    site.run(&format!("{} --identity telecom.id --connect {}", waiting.replace("out.", "out1."), p0.address))
        .ok();
    p0.finish().ok();

    let p0 = site.listen(&format!("{} --identity bank.id", waiting.replace("out.", "out2.")));
    for (args, stage) in [
        (format!("--identity stranger.id --connect {}", p0.address), "pin"),
        ("--identity telecom.id --connect no.such.host.invalid:7000".to_owned(), "name"),
        ("--identity telecom.id --connect 127.0.0.1:9".to_owned(), "tcp"),
    ] {
        let done = site.run(&format!("doctor {args}"));
        let line = done.stdout.lines().last().map(str::to_owned).unwrap_or_default();
        assert!(line.starts_with(stage) && line.ends_with("FAILS"), "{stage}: {done:?}");
        done.fails(&format!("{stage}: "));
    }
    let done = site.run(&format!("doctor --insecure-plain-tcp --connect {}", p0.address));
    done.fails("tls: ");
}

#[test]
fn info_tells_version_kernels_and_parameters() {
    let out = Site::without_identities().run("info").ok().stdout;
    for wanted in [
        env!("CARGO_PKG_VERSION"),
        "wire version ",
        "kernels: ",
        "set S:",
        "set M:",
        "set L:",
        "hybrid",
        "bits",
    ] {
        assert!(out.contains(wanted), "{wanted}: {out}");
    }
}

#[test]
fn help_shows_examples() {
    let site = Site::without_identities();
    for command in [
        "",
        "demo",
        "apply",
        "score",
        "functions",
        "identity",
        "identity new",
        "identity trust",
        "identity show",
        "identity list",
        "identity untrust",
        "identity rotate",
        "doctor",
        "prepare",
        "store",
        "store ls",
        "store verify",
        "store rm",
        "info",
        "bench",
        "bench lut",
        "bench cmp",
        "bench trunc",
        "bench ot",
        "bench triples",
        "bench paper",
    ] {
        let out = site.run(&format!("{command} --help")).ok().stdout;
        assert!(out.contains("Examples:\n"), "{command}: {out}");
        assert!(out.lines().all(|line| line.chars().count() <= 120), "{command}: {out}");
    }
    assert_eq!(site.run("").code, 2);
    assert!(site.run("--version").ok().stdout.starts_with("hushtable "));
}
