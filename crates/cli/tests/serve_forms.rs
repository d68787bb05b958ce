//! Keys of text that differ in form, at who serves a table and at who looks up.

use crate::common::{Listening, Site};

const PLAIN: &str = "--insecure-plain-tcp";

fn site() -> Site {
    let site = Site::without_identities();
    site.write("prices.csv", "sku,price\nA-1,5\nb 2,6\nC3,7\n");
    site.write("mine.csv", "article\na1\nB.2\nc-4\n");
    site
}

fn serve(site: &Site, more: &str) -> Listening {
    site.listen(&format!("serve --table prices.csv --key sku --value price {more} {PLAIN}"))
}

/// A lookup at this server.
fn look_up(server: &Listening, more: &str) -> String {
    let rest = "lookup --keys mine.csv --column article --reveal me --force --output out.csv";
    format!("{rest} --copy out.copy {more} {PLAIN} --connect {}", server.address)
}

#[test]
fn keys_are_looked_up_in_the_form_of_the_table() {
    let site = site();
    let server = serve(&site, "--normalise lower,alnum");
    site.run(&look_up(&server, "--normalise alnum,lower")).ok();
    assert_eq!(site.read("out.csv"), "article,price,present\na1,5,1\nB.2,6,1\nc-4,,0\n");
    let shown = site.run(&format!("lookup --describe {PLAIN} --connect {}", server.address)).ok().stdout;
    assert!(shown.contains("text, hashed to 96 bits, in the form nfc,lower,alnum"), "{shown}");
}

/// Refused before the copy is asked for, and so before anything of the keys goes out.
#[test]
fn both_must_ask_for_the_same_form() {
    let site = site();
    for (here, there, want) in [
        (
            "--normalise lower,alnum",
            "",
            "here trim,nfc, at the peer nfc,lower,alnum; --normalise nfc,lower,alnum here",
        ),
        ("", "--normalise lower", "here trim,nfc,lower, at the peer trim,nfc; --normalise trim,nfc here"),
        ("--normalise none", "", "here trim,nfc, at the peer none; --normalise none here"),
    ] {
        let mut server = serve(&site, here);
        site.run(&look_up(&server, there))
            .fails_with(5, &format!("the parties disagree on the form of keys: {want}"));
        let line = server.says("session ");
        assert!(!site.has("out.csv") && !site.has("out.copy") && !line.contains(" keys for it"), "{line}");
    }
    site.write("prices.csv", "sku,price\n1,5\n");
    site.write("mine.csv", "article\n1\n");
    let server = serve(&site, "");
    site.run(&look_up(&server, "--normalise lower"))
        .fails_with(5, "--normalise is for keys of text; those of the table are whole");
    site.run(&look_up(&server, "")).ok();
    site.run(&format!("explain serve --table prices.csv --key sku --value price --normalise lower --listen 127.0.0.1:0 {PLAIN}"))
        .fails("column \"sku\": keys are whole numbers from 0 to 1; --normalise is for text: --key sku:text");
}

#[test]
fn keys_that_a_rule_would_bring_together_are_told_before() {
    let site = site();
    let explain = |more: &str| {
        site.run(&format!(
            "explain serve --table prices.csv --key sku --value price {more} --listen 127.0.0.1:0 {PLAIN}"
        ))
    };
    let said = explain("").ok();
    for fragment in [
        "warning: prices.csv, column \"sku\": capital letters in 2 of 3 ids",
        "(see line 3)",
        "--normalise trim,nfc,lower,alnum at both",
    ] {
        assert!(said.stderr.contains(fragment), "{fragment}: {said:?}");
    }
    let said = explain("--normalise lower,alnum").ok();
    assert!(
        !said.stderr.contains("warning") && said.stdout.contains("in the form nfc,lower,alnum"),
        "{said:?}"
    );
    let server = serve(&site, "");
    let said = site.run(&look_up(&server, "")).ok();
    assert!(
        said.stderr.contains("warning: mine.csv, column \"article\": capital letters in 1 of 3 ids"),
        "{said:?}"
    );
    // Numbers have no form.
    site.write("prices.csv", "sku,price\n1,5\n1000,6\n");
    assert!(!explain("").ok().stderr.contains("warning"));
    site.write("prices.csv", "sku,price\nA-1,5\na1,6\n");
    explain("").ok();
    explain("--normalise lower,alnum").fails("line 3: the key \"a1\" is the same as \"A-1\" in line 2");
}
