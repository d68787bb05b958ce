//! Every other subcommand: demo, identity, doctor, info, help.

use crate::common::Site;

#[test]
fn demo_shows_right_results() {
    let site = Site::without_identities();
    for args in ["demo", "demo --net 300:2ms"] {
        let out = site.run(args).ok().stdout;
        for wanted in [
            "customers",
            "The bank (P0, listens) holds:",
            "The telecom company (P1, connects) holds:",
            "C202876",
            "all columns of the 663 customers in common",
            "1046 of 1046 decisions are the same as in plaintext",
            "this party        for each of its rows that the other has too whether the probability",
            "a row that the other does not have gets 0",
            "the peer          nothing: it gets no result",
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
    assert_eq!(crate::common::mode(&site.path("bank.id/key.pem")), 0o600);
}

#[test]
fn doctor_names_the_step() {
    let site = Site::new();
    site.write("a.csv", "id,score\nx,1\n");
    site.run("identity new --name stranger --out stranger.id").ok();
    let waiting = "apply sigmoid --reveal both --column score --input a.csv --output out.csv";

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
fn exit_codes_tell_the_cause() {
    let site = Site::new();
    site.write_scores("a.csv", &[1.0, 2.0]);
    site.write("bad.csv", "id,score\nx,one\n");
    let apply = |input: &str, output: &str| {
        format!("apply sigmoid --reveal both --column score --input {input} --output {output}")
    };
    let nobody = "--identity bank.id --connect 127.0.0.1:9 --wait 1";
    let unknown = "--identity bank.id --connect no.such.host.invalid:9 --wait 1";
    for (code, args, said) in [
        (3, format!("{} {nobody}", apply("gone.csv", "out.csv")), "gone.csv"),
        (3, format!("{} {nobody}", apply("bad.csv", "out.csv")), "line 2"),
        (3, "identity show --identity gone.id".to_owned(), "gone.id"),
        (4, format!("{} {nobody}", apply("a.csv", "out.csv")), "127.0.0.1:9"),
        (4, format!("{} {unknown}", apply("a.csv", "out.csv")), "looking up"),
        (6, format!("{} {nobody}", apply("a.csv", "gone/out.csv")), "cannot write in gone"),
        (6, format!("{} --store gone.store {nobody}", apply("a.csv", "out.csv")), "gone.store"),
    ] {
        site.run(&args).fails_with(code, said);
    }
    assert_eq!(site.run("plan --batch 0").code, 2);
    let done = site.both(
        &format!("{} --identity bank.id", apply("a.csv", "out0.csv")),
        &format!("{} --identity telecom.id", apply("a.csv", "out1.csv").replace("sigmoid", "tanh")),
    );
    done.iter().for_each(|done| done.fails_with(5, "disagree"));
    let help = site.run("--help").ok().stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for code in
        ["0 success", "1 a result", "2 the arguments", "3 an input", "4 the peer", "5 the parties", "6 this"]
    {
        assert!(help.contains(code), "{code}: {help}");
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
        "join",
        "stats",
        "proximity",
        "explain",
        "explain apply",
        "explain score",
        "explain join",
        "explain stats",
        "explain proximity",
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
        "plan",
        "calibrate",
    ] {
        let out = site.run(&format!("{command} --help")).ok().stdout;
        assert!(out.contains("Examples:\n"), "{command}: {out}");
        assert!(out.lines().all(|line| line.chars().count() <= 120), "{command}: {out}");
    }
    let neither = site.run("stats x.json --identity bank.id");
    assert!(
        neither.code == 2 && ["--listen", "--connect"].iter().all(|side| neither.stderr.contains(side)),
        "{neither:?}"
    );
    assert_eq!(site.run("").code, 2);
    assert!(site.run("--version").ok().stdout.starts_with("hushtable "));
}
