//! Files as people have them: separated and written in their country's way, with cells that are missing and names of
//! columns and parties of any kind.

use std::fs;

use crate::common::{Done, Site};

const BANK: &str = "--identity bank.id";
const TELECOM: &str = "--identity telecom.id";
const PLAIN: &str = "--insecure-plain-tcp";
/// Nobody ever listens there: these commands must fail before they connect.
const NOWHERE: &str = "--insecure-plain-tcp --connect 127.0.0.1:9";

/// Arguments that have blanks in them.
fn run(site: &Site, args: &str, more: &[&str]) -> Done {
    let done = site.command(args).args(more).output().unwrap();
    let [stdout, stderr] = [done.stdout, done.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    Done { code: done.status.code().unwrap_or(-1), stdout, stderr, time: Default::default() }
}

/// Parties with names of any script, in whatever form they were typed, wherever a party is named.
#[test]
fn parties_are_called_as_they_are() {
    let site = Site::without_identities();
    let (composed, taken_apart) = ("Klinikum S\u{fc}d", "Klinikum Su\u{308}d");
    run(&site, "identity new --out a.id", &["--name", taken_apart]).ok();
    run(&site, "identity new --out b.id", &["--name", "\u{6771}\u{4eac}\u{9280}\u{884c}"]).ok();
    let shown = run(&site, "identity show --identity a.id", &[]).ok().stdout;
    assert!(shown.contains(composed), "{shown}");
    let print = |name: &str| {
        let shown = run(&site, &format!("identity show --identity {name}.id"), &[]).ok().stdout;
        shown.lines().find_map(|line| line.strip_prefix("fingerprint")).unwrap().trim().to_owned()
    };
    for (own, peer) in [("a", "b"), ("b", "a")] {
        let trust =
            format!("identity trust --identity {own}.id {peer}.id/cert.pem --fingerprint {}", print(peer));
        run(&site, &trust, &[]).ok();
    }
    assert!(run(&site, "identity list --identity b.id", &[]).ok().stdout.starts_with(composed));
    for name in ["me", "Both", "p0"] {
        run(&site, "identity new --out c.id", &["--name", name]).fails_with(2, "no party can be called");
    }
    for name in ["a  b", "a\u{202e}b", " a", "a/b", "a\u{200b}"] {
        let done = run(&site, "identity new --out c.id", &["--name", name]);
        done.fails_with(2, "1 to 64 letters and digits of any script");
    }
    site.write("a.csv", "id,score\nx,1\ny,-2\n");
    let job = "hushtable-job = 1\n[parties]\nlistens = \"Klinikum S\u{fc}d\"\nconnects = \"\u{6771}\u{4eac}\u{9280}\u{884c}\"\n[[step]]\n\
               operation = \"ge\"\nreveal = \"Klinikum S\u{fc}d\"\ny = 0\n\
               [step.x]\n\"Klinikum S\u{fc}d\" = \"score\"\n\"\u{6771}\u{4eac}\u{9280}\u{884c}\" = \"score\"\n";
    site.write("job.toml", job);
    let run_args = "run job.toml --input a.csv";
    let hash = run(&site, "run --check job.toml", &[]).ok().stdout;
    let hash = hash.split_whitespace().find(|word| word.len() == 64).expect("a hash").to_owned();
    let threads = |first: &str, second: &[&str], third: &str, fourth: &[&str]| {
        std::thread::scope(|scope| {
            let mut listening = site.command(first);
            let child = listening.args(second).arg("--listen").arg("127.0.0.1:0");
            let mut child = child.stderr(std::process::Stdio::piped()).spawn().unwrap();
            let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
            let address =
                lines.find_map(|line| line.unwrap().strip_prefix("listening on ").map(str::to_owned));
            scope.spawn(move || lines.for_each(drop));
            let done = run(&site, &format!("{third} --connect {}", address.expect("it listens")), fourth);
            assert!(child.wait().unwrap().success());
            done.ok();
        });
    };
    threads(
        &format!("{run_args} --identity a.id --output out.csv --approve {hash}"),
        &[],
        &format!("{run_args} --identity b.id --approve {hash}"),
        &[],
    );
    assert_eq!(site.read("out.csv"), "id,ge\nx,1\ny,0\n");
    threads(
        "apply ge --input a.csv --column score --identity a.id --output b.csv",
        &["--peer", "\u{6771}\u{4eac}\u{9280}\u{884c}", "--reveal", taken_apart],
        "apply ge --input a.csv --against score --identity b.id",
        &["--peer", taken_apart, "--reveal", composed],
    );
    assert_eq!(site.read("b.csv"), "id,ge\nx,1\ny,1\n");
    run(&site, "identity untrust --identity b.id", &[taken_apart]).ok();
}

/// A table as a German office writes it: what separates its cells is found, numbers are read as is said, and results are
/// written the same way, with the name of its column of ids.
#[test]
fn results_are_written_as_the_table_was() {
    let site = Site::without_identities();
    let german = "\u{feff}Kunde;Betrag\r\nM\u{fc}ller;1.100,50\r\n\"a;b\";-2,25\r\nc;12.345.678\r\n";
    fs::write(site.path("german.csv"), german).unwrap();
    let units: Vec<u8> = german.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(site.path("utf16.csv"), units).unwrap();
    site.write("other.csv", "id,x\nM\u{fc}ller,0\na;b,0\nc,0\n");
    let other = format!("apply max --reveal both --input other.csv --against x {PLAIN}");
    for input in ["german.csv", "utf16.csv"] {
        let own =
            format!("apply max --reveal both --input {input} --id Kunde --column Betrag --bits 64 {PLAIN}");
        let done = site.run(&format!(
            "apply max --reveal both --input {input} --id Kunde --column Betrag --bits 64 --output out.csv {NOWHERE}"
        ));
        done.fails_with(3, "\"1.100,50\" is not a number; --decimal , --thousands . would read 1100.5");
        let [p0, p1] = site.both(
            &format!("{own} --decimal , --thousands . --output out.csv --force"),
            &format!("{other} --bits 64 --output other-out.csv --force"),
        );
        let _ = (p0.ok(), p1.ok());
        assert_eq!(site.read("out.csv"), "Kunde;max\nM\u{fc}ller;1100,5\n\"a;b\";0\nc;12345678\n");
        assert_eq!(site.read("other-out.csv"), "id,max\nM\u{fc}ller,1100.5\na;b,0\nc,12345678\n");
    }
    // Statistics too, also where only the other party owns rows.
    let join = |rest: &str| format!("join --rows p0 {rest} {PLAIN} --force");
    let [p0, p1] = site.both(
        &join("--input other.csv --id id --columns x --output p0.json"),
        &join("--input german.csv --id Kunde --decimal , --thousands . --columns Betrag:2e7 --fraction-bits 8 --output p1.json"),
    );
    let _ = (p0.ok(), p1.ok());
    let stats =
        |party: &str| format!("stats {party}.json --mean Betrag --least 1 --output {party}.csv {PLAIN}");
    let [p0, p1] = site.both(&stats("p0"), &stats("p1"));
    let _ = (p0.ok(), p1.ok());
    let mean = "4115592.0833333335";
    for (party, delimiter, mean) in [("p0", ",", mean.to_owned()), ("p1", ";", mean.replace('.', ","))] {
        let rows = [["group", "statistic", "value"], ["all", "count", "3"], ["all", "mean of Betrag", &mean]];
        let wanted: String = rows.iter().map(|row| row.join(delimiter) + "\n").collect();
        assert_eq!(site.read(&format!("{party}.csv")), wanted);
    }
    // What may be meant in two ways is neither.
    site.write("doubt.csv", "id;x\na;1.100\nb;2.5\n");
    let doubt = "apply sigmoid --reveal both --input doubt.csv --column x --output o.csv";
    let done = site.run(&format!("{doubt} {NOWHERE}"));
    done.fails_with(
        3,
        "\"1.100\" may be 1.1 or 1100, in a file that ; separates: --decimal . or --decimal , --thousands .",
    );
    assert!(!done.stderr.contains("line 3"), "{done:?}");
    for (more, code, says) in [
        ("--thousands .", 2, "--thousands . and --decimal . are the same sign; --decimal ,"),
        ("--thousands x", 2, "accepted: . , ' _ or space"),
        (
            "--decimal , --thousands .",
            3,
            "line 3, column \"x\": \"2.5\" is not a number; --decimal . would read 2.5",
        ),
    ] {
        site.run(&format!("{doubt} {more} {NOWHERE}")).fails_with(code, says);
    }
    site.write("two.csv", "id,x;y\na,1;2\n");
    let two = format!("apply sigmoid --reveal both --input two.csv --column x --output o.csv {NOWHERE}");
    site.run(&two)
        .fails_with(3, "two.csv: its first lines can be separated by ',' into 2 columns, or by ';' into 2");
}

/// A cell that is missing counts as what is said, at the party that says it; others are errors that say how.
#[test]
fn missing_cells_count_as_what_is_said() {
    let site = Site::new();
    site.write("bank.csv", "customer,income,region\na,10,north\nb,,\nc,NA,south\nd,40,\ne,5,north\n");
    site.write("telecom.csv", "customer,bills\na,1\nb,2\nc,3\nd,4\nx,9\n");
    let (p0, p1) = ("--input bank.csv --id customer", "--input telecom.csv --id customer");
    let columns = "--columns income:100,region:north/south/none --output p0.json";
    let bare = "--columns income:100,region:north/south --output p0.json";
    let done = site.run(&format!("join {p0} --na NA {bare} {BANK} --connect 127.0.0.1:9"));
    for column in ["income", "region"] {
        let missing = "is missing: --na-as says what it counts as, --missing that";
        done.fails_with(3, &format!("line 3, column {column:?}: \"\" {missing}"));
    }
    for (more, says) in [
        ("--na-as incme=0", "no column \"incme\"; there are: customer, income, region"),
        ("--na-as 0,5", "a value for all columns stands alone"),
        ("--reveal ids --na-as 0 --columns x", "--columns is for a hidden join"),
    ] {
        site.run(&format!("join {p0} {more} --output x.json {BANK} --connect 127.0.0.1:9"))
            .fails_with(2, says);
    }
    let [a, b] = site.both(
        &format!("join {p0} --na NA --na-as income=0.5,region=none {columns} {BANK}"),
        &format!("join {p1} --columns bills:10 --output p1.json {TELECOM}"),
    );
    let _ = (a.ok(), b.ok());
    let stats = "--least 0 --count --sum income --by region";
    let [a, b] = site.both(
        &format!("stats p0.json {stats} {BANK} --output stats.csv"),
        &format!("stats p1.json {stats} {TELECOM}"),
    );
    let _ = (a.ok(), b.ok());
    let text = site.read("stats.csv");
    for line in [
        "north,count,1",
        "south,count,1",
        "none,count,2",
        "south,sum of income,0.5",
        "none,sum of income,40.5",
    ] {
        assert!(text.lines().any(|have| have == line), "{line}: {text}");
    }
    // Scores and sums likewise, by position.
    site.write("x.csv", "id,x,y\na,,1\nb,2,\n");
    site.write("y.csv", "id,z\na,0\nb,0\n");
    let [a, b] = site.both(
        &format!(
            "apply max --reveal both --input x.csv --column x --na-as 7 --na-as x=-3.5 --output m.csv {PLAIN}"
        ),
        &format!("apply max --reveal both --input y.csv --against z --output n.csv {PLAIN}"),
    );
    let _ = (a.ok(), b.ok());
    assert_eq!(site.read("m.csv"), "id,max\na,0\nb,2\n");
    site.write("x.toml", "[weights]\nx = 1\ny = 1\n");
    site.write("z.toml", "[weights]\nz = 1\n");
    let [a, b] = site.both(
        &format!(
            "score --threshold 0.5 --features x.csv --weights x.toml --na-as x=-2,y=-1 --output s.csv {PLAIN}"
        ),
        &format!("score --threshold 0.5 --features y.csv --weights z.toml --output t.csv {PLAIN}"),
    );
    let _ = (a.ok(), b.ok());
    assert_eq!(site.read("s.csv"), "id,at_least_0.5\na,0\nb,1\n");
}

/// Columns are named as they are, in quotes where signs stand in their names.
#[test]
fn columns_have_any_names() {
    let site = Site::new();
    site.write(
        "bank.csv",
        "\"cust,omer\",a:b,\"say \"\"x\"\"\",net income\nk1,1,n/a,5\nk2,2,yes,7\nk3,3,yes,9\n",
    );
    site.write("telecom.csv", "id,x=y\nk3,5\nk1,6\nk4,1\n");
    let p0 = ["--id", "\"cust,omer\"", "--columns", "\"a:b\":10,\"say \"\"x\"\"\":\"n/a\"/yes,net income:10"];
    let shown =
        run(&site, "explain join --input bank.csv --identity bank.id --connect 127.0.0.1:9", &p0).ok();
    assert!(shown.stdout.contains("\"say \"\"x\"\"\" (\"n/a\"/yes)"), "{shown:?}");
    let first = run(
        &site,
        "explain join --input bank.csv --identity bank.id --connect 127.0.0.1:9",
        &["--id", "cust,omer"],
    );
    first.fails_with(
        3,
        "no column \"cust\"; its columns are: \"cust,omer\", \"a:b\", \"say \"\"x\"\"\", net income",
    );
    let open = ["--id", "\"cust,omer"];
    let done = run(&site, "explain join --input bank.csv --identity bank.id --connect 127.0.0.1:9", &open);
    done.fails_with(
        2,
        "a quote without the other; a name with a quote in it stands in quotes, and has it twice",
    );
    // Results have that name too; a party's own file says it once more where it is read again.
    site.write("w.toml", "[weights]\n\"a:b\" = 1\n\"net income\" = 0.5\n");
    site.write("v.toml", "[weights]\n\"x=y\" = -1\n");
    let score = "score --threshold 0.5 --reveal both";
    let listening = std::thread::scope(|scope| {
        let mut command =
            site.command(&format!("{score} --features bank.csv --weights w.toml --output out.csv {BANK}"));
        let command = command.args(["--join", "\"cust,omer\"", "--listen", "127.0.0.1:0"]);
        let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
        let address = lines.find_map(|line| line.unwrap().strip_prefix("listening on ").map(str::to_owned));
        scope.spawn(move || lines.for_each(drop));
        let telecom =
            format!("{score} --features telecom.csv --weights v.toml --join id --output o1.csv {TELECOM}");
        site.run(&format!("{telecom} --connect {}", address.expect("it listens"))).ok();
        child.wait().unwrap()
    });
    assert!(listening.success());
    assert_eq!(site.read("out.csv"), "\"cust,omer\",at_least_0.5\nk1,0\nk2,\nk3,1\n");
    assert_eq!(site.read("o1.csv"), "id,at_least_0.5\nk3,1\nk1,0\nk4,\n");
}

/// In a join each party leaves out what it likes, also where rows are joined and scored in one go.
#[test]
fn scores_of_rows_in_common_leave_rows_out() {
    let site = Site::new();
    site.write("bank.csv", "c,d,x\n1,a,5\n2,b,oops\n3,c,-7\n4,d,\n");
    site.write("telecom.csv", "p,q,y\n3,c,1\n1,a,1\n2,b,1\n");
    site.write("w.toml", "[weights]\nx = 1\n");
    site.write("v.toml", "[weights]\ny = 0.5\n");
    let bank = format!("score --features bank.csv --weights w.toml --join c,d --output out.csv {BANK}");
    let done = site.run(&format!("{bank} --bad-rows bad.csv --connect 127.0.0.1:9"));
    done.fails_with(3, "bank.csv: 2 bad rows\n  line 3, column \"x\": \"oops\" is not a number");
    assert!(
        done.stderr.contains(
            "with --leave-out bad.csv here the job goes on without them. The peer needs no such list"
        ),
        "{done:?}"
    );
    assert_eq!(site.read("bad.csv"), "id\n\"2,b\"\n\"4,d\"\n");
    let [a, b] = site.both(
        &format!("{bank} --leave-out bad.csv"),
        &format!("score --features telecom.csv --weights v.toml --join p,q --output o1.csv {TELECOM}"),
    );
    let _ = (a.ok(), b.ok());
    assert_eq!(site.read("out.csv"), "join_id,at_least_0.5\n\"1,a\",1\n\"3,c\",0\n");
    assert_eq!(site.read("o1.csv"), "join_id,at_least_0.5\n\"3,c\",0\n\"1,a\",1\n\"2,b\",\n");
}

/// Which country telephone numbers without a code are of is a party's own matter, in job files too.
#[test]
fn a_job_file_is_read_by_each_partys_own_rules() {
    let site = Site::new();
    site.write("bank.csv", "id,x\n01 2345678,5\n0699 12345,-5\n+49 30 1234567,5\n");
    site.write("telecom.csv", "id,y\n030 1234567,1\n+43 1 2345678,1\n");
    site.write("w.toml", "[weights]\nx = 1\n");
    site.write("v.toml", "[weights]\ny = 1\n");
    site.write(
        "job.toml",
        "hushtable-job = 1\njoin = true\n[parties]\nlistens = \"bank\"\nconnects = \"telecom\"\n[[step]]\n\
         operation = \"score\"\nthreshold = 0.5\nreveal = \"bank\"\nnormalise = \"e164:+43\"\n",
    );
    let check = site.run("run --check job.toml").ok().stdout;
    let hash = check.split_whitespace().find(|word| word.len() == 64).expect("a hash");
    let telecom = format!("run job.toml --input telecom.csv --weights v.toml --approve {hash} {TELECOM}");
    let done = site.run(&format!("{telecom} --normalise lower --connect 127.0.0.1:9"));
    done.fails_with(
        2,
        "--normalise trim,nfc,lower gives another form than trim,nfc,e164:+43, which the job file says",
    );
    let [a, b] = site.both(
        &format!("run job.toml --input bank.csv --weights w.toml --approve {hash} --output out.csv {BANK}"),
        &format!("{telecom} --normalise e164:+49"),
    );
    let _ = (a.ok(), b.ok());
    assert_eq!(site.read("out.csv"), "id,score\n01 2345678,1\n0699 12345,\n+49 30 1234567,1\n");
}
