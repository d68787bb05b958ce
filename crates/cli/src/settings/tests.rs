use super::*;
use clap::{Arg, ArgAction};

fn command() -> Command {
    let option = |name: &'static str| Arg::new(name).long(name);
    let job = Command::new("job")
        .arg(option("identity"))
        .arg(option("listen").conflicts_with("connect"))
        .arg(option("connect"))
        .arg(option("ot").hide(true))
        .arg(option("plain").action(ArgAction::SetTrue).conflicts_with("identity"))
        .arg(Arg::new("files").num_args(0..));
    let mut all = Command::new("x")
        .arg(Arg::new("quiet").short('q').action(ArgAction::SetTrue))
        .subcommand(Command::new("explain").subcommand(job.clone()))
        .subcommand(job)
        .subcommand(Command::new("info"));
    all.build();
    all
}

/// What the arguments are, with these settings.
fn with(line: &str, settings: &[(&'static str, &str)]) -> String {
    let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    let setting =
        |(option, value): &(&'static str, &str)| Setting { option, value: (*value).into(), from: "f".into() };
    let command = command();
    let (leaf, at) = leaf(&command, &arguments);
    let (_, merged) = merged(leaf, at, arguments, settings.iter().map(setting).collect());
    // What comes out is a command line.
    command.clone().try_get_matches_from(&merged).unwrap();
    merged.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn arguments_count_first() {
    let all = [("identity", "a.id"), ("connect", "h:1"), ("ot", "x"), ("price", "1")];
    for (line, wanted) in [
        ("x job", "x job --identity=a.id --connect=h:1"),
        ("x -q job -- --listen", "x -q job --identity=a.id --connect=h:1 -- --listen"),
        ("x explain job f", "x explain job --identity=a.id --connect=h:1 f"),
        ("x job --identity b.id", "x job --connect=h:1 --identity b.id"),
        ("x job --listen=:1", "x job --identity=a.id --listen=:1"),
        ("x job --connect h:2 --plain", "x job --connect h:2 --plain"),
        ("x info", "x info"),
    ] {
        assert_eq!(with(line, &all), wanted);
    }
}

#[test]
fn the_environment_is_read_by_the_options_names() {
    let of = |all: &[(&str, &str)]| {
        of_environment(|name| all.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    };
    let one = of(&[("HUSHTABLE_NET", "wan"), ("HUSHTABLE_OTHER", "x")]).unwrap();
    assert_eq!(one, [Setting { option: "net", value: "wan".into(), from: "HUSHTABLE_NET".into() }]);
    let both = of(&[("HUSHTABLE_LISTEN", ":1"), ("HUSHTABLE_CONNECT", "h:1")]).unwrap_err().to_string();
    assert!(both.contains("HUSHTABLE_LISTEN and HUSHTABLE_CONNECT"), "{both}");
}

#[test]
fn a_file_names_its_lines() {
    let of = |text: &str| {
        let all = of_file(TomlFile { path: Path::new("d/f.toml"), text }, Path::new("d"));
        all.map(|all| {
            all.into_iter().map(|s| format!("{}={} {}", s.option, s.value, s.from)).collect::<Vec<_>>()
        })
    };
    assert_eq!(of("").unwrap(), [""; 0]);
    assert_eq!(
        of("identity = \"a.id\"\n\nprice = 0.05\npeer = \"telecom\"\n").unwrap(),
        ["identity=d/a.id d/f.toml, line 1", "peer=telecom d/f.toml, line 4", "price=0.05 d/f.toml, line 3"]
    );
    assert_eq!(of("identity = \"/a.id\"").unwrap(), ["identity=/a.id d/f.toml, line 1"]);
    for (text, wanted) in [
        (
            "net = \"lan\"\nkey = \"x\"",
            "d/f.toml: line 2: \"key\" is not known here; a file of settings has: identity,",
        ),
        ("peer = [1]", "d/f.toml: line 1: peer: [1] is not a text in quotes"),
        ("listen = \":1\"\nconnect = \"h:1\"", "d/f.toml: line "),
        ("peer = ", "d/f.toml: line 1: "),
    ] {
        let error = of(text).unwrap_err().to_string();
        assert!(error.starts_with(wanted), "{error}");
    }
}

/// Of this user or the system's, and written by nobody else.
#[cfg(unix)]
#[test]
fn whose_file_it_is() {
    for (owner, group, mode, own) in [
        (1000, 1000, 0o644, true),
        (1000, 1000, 0o664, true),
        (1000, 100, 0o644, true),
        (1000, 100, 0o664, false),
        (1000, 1000, 0o646, false),
        (1001, 1000, 0o644, false),
        (1001, 1001, 0o600, false),
        (0, 0, 0o644, true),
        (0, 50, 0o664, false),
    ] {
        assert_eq!(is_own([owner, group], mode, 1000), own, "{owner}:{group} {mode:o}");
    }
}

/// Any text is settings or an error, and never ends the program otherwise.
#[test]
fn any_text_ends() {
    let mut state = 7u64;
    let parts = [
        "identity", "peer", "=", "\"", "\n", "[", "]", "{", "}", ".", "0x1", "-", "#", "\u{202e}", " ", "\\",
    ];
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text += parts[(state >> 33) as usize % parts.len()];
        }
        if let Ok(all) = of_file(TomlFile { path: Path::new("f"), text: &text }, Path::new("")) {
            assert!(all.iter().all(|one| NAMES.contains(&one.option)), "{text:?}");
        }
    }
}
