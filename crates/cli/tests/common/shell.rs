//! Command lines as they are written in documents and help, in a real shell: each party in a folder of its own.

use std::{
    collections::HashMap,
    env, fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use hushtable::net::Identity;
use tempfile::TempDir;

/// A command that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(600);

/// The port of documents and help, and that of the tests.
const LISTEN: [&str; 2] = ["0.0.0.0:7000", "127.0.0.1:0"];

/// Parties with files, who run one command after the other.
pub struct Stage {
    root: TempDir,
    address: Option<String>,
    /// Who listens: the command, and its process.
    waiting: Option<(String, Shell)>,
    /// What each command printed, by the party and the line.
    pub printed: HashMap<(String, String), String>,
}

/// The folder of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command line in the background: standard output and error together.
struct Shell {
    child: Child,
    lines: Receiver<String>,
    text: String,
}

impl Shell {
    /// Whoever asks at a terminal is answered with yes.
    fn start(folder: &Path, line: &str, home: &Path) -> Self {
        let asks = (line.contains("identity trust") && !line.contains("--fingerprint"))
            || (line.contains("hushtable run ")
                && !["--approve", "--check", "--dry-run"].iter().any(|o| line.contains(o)));
        let mut command = match asks {
            true => Command::new("script"),
            false => Command::new("bash"),
        };
        match asks {
            true => command.args(["-qec", line, "/dev/null"]),
            // The shell becomes the program, so that a signal to the one is one to the other.
            false => command.args(["-c", &format!("exec 2>&1\nexec {line}")]),
        };
        let program = Path::new(env!("CARGO_BIN_EXE_hushtable")).parent().expect("a folder").to_owned();
        let paths = env::split_paths(&env::var_os("PATH").expect("PATH")).collect::<Vec<_>>();
        let path = env::join_paths([program].into_iter().chain(paths)).expect("a PATH");
        let mut child = command
            .current_dir(folder)
            .env("PATH", path)
            .env("HOME", home)
            .env("SHELL", "/bin/bash")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .stdin(if asks { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap_or_else(|e| panic!("{line}: {e}"));
        let answers = child.stdin.take();
        let (send, lines) = channel();
        let from = BufReader::new(child.stdout.take().expect("piped"));
        thread::spawn(move || {
            // Kept open: a terminal that ends says no.
            let mut answers = answers;
            if let Some(to) = &mut answers {
                let _ = to.write_all(b"yes\n");
            }
            for line in from.split(b'\n').map_while(Result::ok) {
                if send.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
            }
        });
        Self { child, lines, text: String::new() }
    }

    /// Reads until a line has this, which is returned with what follows it; `None` if the process ends first.
    fn until(&mut self, fragment: &str) -> Option<String> {
        let end = Instant::now() + LIMIT;
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.text.push_str(line.trim_end_matches('\r'));
                    self.text.push('\n');
                    if let Some((_, rest)) = line.split_once(fragment) {
                        return Some(rest.trim().to_owned());
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {}", self.text),
            }
        }
    }

    /// Waits for the end: what was printed, if the exit code is 0.
    fn succeeds(mut self, line: &str) -> String {
        while self.until("\u{0}").is_some() {}
        let status = self.child.wait().expect("a process");
        assert!(status.success(), "{line}\n{status}: {}", self.text);
        std::mem::take(&mut self.text)
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Folders of identities by their names, each made once for all tests.
fn identities() -> &'static TempDir {
    static MADE: OnceLock<TempDir> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let all = ["bank", "telecom", "shop", "harbour", "line"];
        let made = all.map(|name| Identity::create(&folder.path().join(format!("{name}.id")), name).unwrap());
        for (a, b) in [(0, 1), (1, 0), (2, 1), (3, 4), (4, 3)] {
            let own = folder.path().join(format!("{}.id", all[a]));
            Identity::trust(&own, &made[b].certificate_path(), made[b].fingerprint(), None).unwrap();
        }
        // A bank that trusted two peers would have to say which it means.
        let bank = Identity::create(&folder.path().join("customer.id"), "bank").unwrap();
        let customer = folder.path().join("customer.id");
        Identity::trust(&customer, &made[2].certificate_path(), made[2].fingerprint(), None).unwrap();
        Identity::trust(&folder.path().join("shop.id"), &bank.certificate_path(), bank.fingerprint(), None)
            .unwrap();
        folder
    })
}

impl Stage {
    /// Each party with copies of these files of the repository.
    pub fn new(parties: &[&str], data: &[&str]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for party in parties {
            let folder = root.path().join(party);
            fs::create_dir(&folder).unwrap();
            for from in data {
                let from = repository().join(from);
                let files = match from.is_dir() {
                    true => fs::read_dir(&from).unwrap().map(|entry| entry.unwrap().path()).collect(),
                    false => vec![from],
                };
                for file in files.iter().filter(|file| file.is_file()) {
                    fs::copy(file, folder.join(file.file_name().unwrap())).unwrap();
                }
            }
        }
        Self { root, address: None, waiting: None, printed: HashMap::new() }
    }

    /// The same, with identities of the parties, who trust each other, and everybody's certificates.
    pub fn with_identities(parties: &[&str], data: &[&str]) -> Self {
        let stage = Self::new(parties, data);
        for party in parties {
            let made = if *party == "bank" && parties.contains(&"shop") { "customer" } else { party };
            copy(&identities().path().join(format!("{made}.id")), &stage.path(party, &format!("{party}.id")));
        }
        for own in parties {
            for peer in parties {
                let from = stage.path(peer, &format!("{peer}.id/cert.pem"));
                fs::copy(from, stage.path(own, &format!("{peer}-cert.pem"))).unwrap();
            }
        }
        stage
    }

    /// A party without an identity, who has the others' certificates.
    pub fn stranger(&self, parties: [&str; 2]) {
        fs::create_dir(self.root.path().join("stranger")).unwrap();
        for party in parties {
            self.send([party, &format!("{party}.id/cert.pem")], ["stranger", &format!("{party}-cert.pem")]);
        }
    }

    pub fn path(&self, party: &str, name: &str) -> PathBuf {
        self.root.path().join(party).join(name)
    }

    pub fn read(&self, party: &str, name: &str) -> String {
        fs::read_to_string(self.path(party, name)).unwrap_or_else(|e| panic!("{party}: {name}: {e}"))
    }

    /// Somebody gives a copy of a file to somebody else.
    pub fn send(&self, from: [&str; 2], to: [&str; 2]) {
        fs::copy(self.path(from[0], from[1]), self.path(to[0], to[1])).unwrap();
    }

    /// A party runs a line to its end, or until it listens; who connects runs together with who listens.
    pub fn run(&mut self, party: &str, written: &str) {
        let mut line = written.replace(LISTEN[0], LISTEN[1]);
        // What only explains does not connect.
        if let Some(at) = line.find(".example:7000").filter(|_| !line.contains("hushtable explain ")) {
            let start = line[..at].rfind(' ').map_or(0, |at| at + 1);
            let address = self.address.as_deref().unwrap_or_else(|| panic!("nobody listens for {written}"));
            line.replace_range(start..at + ".example:7000".len(), address);
        }
        let mut shell = Shell::start(&self.path(party, "."), &line, self.root.path());
        let key = (party.to_owned(), written.to_owned());
        if line.contains("--listen")
            && let Some(address) = shell.until("listening on ")
        {
            if let Some((other, _)) = &self.waiting {
                assert!(other.contains("hushtable serve "), "{other} waits, and then {written}");
                self.close();
            }
            (self.address, self.waiting) = (Some(address), Some((written.to_owned(), shell)));
            return;
        }
        self.printed.insert(key, shell.succeeds(written));
        if line.contains("--connect") && !line.contains("hushtable explain ") {
            self.meet(written);
        }
    }

    /// Who listened has been answered.
    fn meet(&mut self, by: &str) {
        let Some((line, shell)) = self.waiting.take_if(|(line, _)| !line.contains("hushtable serve ")) else {
            return;
        };
        if !by.contains("hushtable doctor ") {
            let party = ["bank", "harbour"].into_iter().find(|name| line.contains(&format!("{name}.id")));
            let printed = shell.succeeds(&line);
            self.printed.insert((party.unwrap_or("?").to_owned(), line), printed);
        }
    }

    /// Whether somebody waits for the other side of a command.
    pub fn is_waiting(&self) -> Option<&str> {
        self.waiting.as_ref().map(|(line, _)| line.as_str()).filter(|line| !line.contains("hushtable serve "))
    }

    /// Ends whoever serves: it goes in peace.
    pub fn close(&mut self) {
        let Some((line, shell)) = self.waiting.take() else { return };
        assert!(line.contains("hushtable serve "), "nobody answered {line}");
        let id = shell.child.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
        shell.succeeds(&line);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, target) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).unwrap()),
        }
    }
}

/// A block of code of a Markdown file.
pub struct Block {
    pub line: usize,
    pub language: String,
    pub text: String,
    /// Why it is not run, from a comment before it.
    pub not_run: Option<String>,
}

/// The blocks of a Markdown file.
pub fn blocks(page: &str) -> Vec<Block> {
    let (mut all, mut open, mut before) = (Vec::<Block>::new(), false, None);
    for (i, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(language), false) => {
                let (language, not_run) = (language.trim().to_owned(), before.take());
                all.push(Block { line: i + 1, language, text: String::new(), not_run });
                open = true;
            }
            (Some(_), true) => open = false,
            (None, true) => {
                let text = &mut all.last_mut().expect("open").text;
                text.push_str(line);
                text.push('\n');
            }
            (None, false) => {
                before = line
                    .strip_prefix("<!-- not run: ")
                    .and_then(|rest| rest.strip_suffix(" -->"))
                    .map(str::to_owned);
            }
        }
    }
    assert!(!open, "a block that is not closed");
    all
}

/// Commands of a text, with lines that end in a backslash joined: `party` and the line.
pub fn prompts(text: &str) -> Vec<(String, String)> {
    let joined = text.replace("\\\n", " ");
    let command = |line: &str| {
        let (party, rest) = line.split_once('$')?;
        let named = !party.is_empty() && party.chars().all(|c| c.is_ascii_lowercase());
        (named && rest.starts_with(' ')).then(|| (party.to_owned(), rest.trim().to_owned()))
    };
    joined.lines().filter_map(command).collect()
}
