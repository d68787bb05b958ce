//! Two parties as two processes of the program, in a folder of their own.
#![allow(dead_code, reason = "each test file uses a part")]

use std::{
    fs,
    hash::{BuildHasher, Hasher, RandomState},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, ChildStderr, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// A process that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(600);

/// A folder with `bank.id` and `telecom.id`, which trust each other.
pub struct Site(TempDir);

/// How a process ended.
#[derive(Debug)]
pub struct Done {
    /// The exit code; -1 after a signal.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
    /// Since it was started.
    pub time: Duration,
}

/// A process that listens.
pub struct Listening {
    running: Running,
    pub address: String,
}

/// A process of the program; ends with this value.
pub struct Running {
    pub child: Child,
    stderr: Option<BufReader<ChildStderr>>,
    seen: String,
    start: Instant,
}

impl Site {
    pub fn new() -> Self {
        let site = Self::without_identities();
        site.run("identity new --name bank --out bank.id").ok();
        site.run("identity new --name telecom --out telecom.id").ok();
        site.trust("bank", "telecom");
        site.trust("telecom", "bank");
        site
    }

    /// The identity of `own` trusts that of `peer`.
    pub fn trust(&self, own: &str, peer: &str) {
        let fingerprint = self.fingerprint(peer);
        self.run(&format!(
            "identity trust --identity {own}.id {peer}.id/cert.pem --fingerprint {fingerprint}"
        ))
        .ok();
    }

    /// What `identity show` says.
    pub fn fingerprint(&self, name: &str) -> String {
        let shown = self.run(&format!("identity show --identity {name}.id")).ok().stdout;
        shown.lines().find_map(|line| line.strip_prefix("fingerprint")).unwrap().trim().to_owned()
    }

    pub fn without_identities() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// A column of numbers in plain fixed decimals, with ids `c0`, `c1` and so on.
    pub fn write_scores(&self, name: &str, scores: &[f64]) {
        let rows: String = scores.iter().enumerate().map(|(i, s)| format!("c{i},{s}\n")).collect();
        self.write(name, &format!("id,score\n{rows}"));
    }

    /// The names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs the program with arguments separated by spaces, to its end.
    pub fn run(&self, args: &str) -> Done {
        self.start(args).finish()
    }

    /// The program with arguments separated by spaces, in this folder.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hushtable"));
        command.args(args.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::null());
        // Nothing of whoever runs the tests.
        let own = std::env::vars_os().map(|(name, _)| name);
        own.filter(|name| name.to_string_lossy().starts_with("HUSHTABLE_"))
            .for_each(|name| _ = command.env_remove(name));
        command.env("XDG_CONFIG_HOME", self.0.path().join("config"));
        command
    }

    /// Starts the program in this folder.
    pub fn start(&self, args: &str) -> Running {
        Self::running(self.command(args))
    }

    /// The same with a limit of the shell's `ulimit`.
    #[cfg(unix)]
    pub fn limited(&self, limit: &str, args: &str) -> Running {
        let mut command = Command::new("sh");
        let run = format!("ulimit {limit} && exec \"$0\" \"$@\"");
        command.args(["-c", &run, env!("CARGO_BIN_EXE_hushtable")]).args(args.split_whitespace());
        command.current_dir(self.0.path()).stdin(Stdio::null());
        Self::running(command)
    }

    fn running(mut command: Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = child.stderr.take().map(BufReader::new);
        Running { child, stderr, seen: String::new(), start: Instant::now() }
    }

    /// Starts the program with `--listen` on a free port and waits until it listens.
    pub fn listen(&self, args: &str) -> Listening {
        Self::listening(self.start(&format!("{args} --listen 127.0.0.1:0")), args)
    }

    /// The same with a limit of the shell's `ulimit`.
    #[cfg(unix)]
    pub fn listen_limited(&self, limit: &str, args: &str) -> Listening {
        Self::listening(self.limited(limit, &format!("{args} --listen 127.0.0.1:0")), args)
    }

    fn listening(mut running: Running, args: &str) -> Listening {
        let stderr = running.stderr.as_mut().unwrap();
        loop {
            let from = running.seen.len();
            if stderr.read_line(&mut running.seen).unwrap() == 0 {
                panic!("{args} does not listen: {:?}", running.finish());
            }
            if let Some(address) = running.seen[from..].trim_end().strip_prefix("listening on ") {
                let address = address.to_owned();
                return Listening { running, address };
            }
        }
    }

    /// Runs both parties to their ends.
    pub fn both(&self, p0: &str, p1: &str) -> [Done; 2] {
        let first = self.listen(p0);
        let second = self.run(&format!("{p1} --connect {}", first.address));
        [first.finish(), second]
    }
}

impl Listening {
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        self.running.signal(name);
    }

    pub fn finish(self) -> Done {
        self.running.finish()
    }

    pub fn kill(&mut self) {
        self.running.child.kill().unwrap();
    }

    /// Waits for a line on standard error with this in it.
    pub fn says(&mut self, fragment: &str) -> String {
        self.running.says(fragment)
    }

    /// What the system says of the process.
    #[cfg(target_os = "linux")]
    pub fn about(&self, what: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{what}", self.running.child.id())).unwrap()
    }

    /// From now on the process gets no more files than this.
    #[cfg(target_os = "linux")]
    pub fn limit_files(&self, most: u64) {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        prlimit(Some(Pid::from_child(&self.running.child)), Resource::Nofile, limit).unwrap();
    }

    /// The most memory that the process has had, in KiB.
    #[cfg(target_os = "linux")]
    pub fn most_memory(&self) -> u64 {
        let status = self.about("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().strip_suffix("kB").unwrap().trim().parse().unwrap()
    }
}

impl Running {
    /// Waits for a line on standard error that begins so.
    pub fn until(&mut self, start: &str) {
        let stderr = self.stderr.as_mut().unwrap();
        loop {
            let from = self.seen.len();
            let read = stderr.read_line(&mut self.seen).unwrap();
            assert!(read > 0, "{start:?} was not said: {:?}", self.seen);
            if self.seen[from..].starts_with(start) {
                return;
            }
        }
    }

    /// Waits for a line on standard error with this in it.
    pub fn says(&mut self, fragment: &str) -> String {
        let stderr = self.stderr.as_mut().unwrap();
        loop {
            let from = self.seen.len();
            let read = stderr.read_line(&mut self.seen).unwrap();
            assert!(read > 0, "{fragment:?} was not said: {:?}", self.seen);
            if self.seen[from..].contains(fragment) {
                return self.seen[from..].to_owned();
            }
        }
    }

    /// Sends it a signal by name.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Waits for the end.
    pub fn finish(mut self) -> Done {
        let stdout = drain(self.child.stdout.take().unwrap());
        let stderr = drain(self.stderr.take().unwrap());
        let rest = stderr.recv_timeout(LIMIT).expect("the process ends");
        let stdout = stdout.recv_timeout(LIMIT).expect("the process ends");
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        let stderr = std::mem::take(&mut self.seen) + &rest;
        Done { code, stdout, stderr, time: self.start.elapsed() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Done {
    /// Whether it ended with one of the exit codes of a reported error.
    pub fn is_reported(&self) -> bool {
        (2..=6).contains(&self.code)
    }

    /// Asserts one reported error with this exit code.
    #[track_caller]
    pub fn fails_with(&self, code: i32, fragment: &str) {
        self.fails(fragment);
        assert_eq!(self.code, code, "{self:?}");
    }

    /// Asserts success.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }

    /// Asserts one reported error, with `fragment` in it.
    #[track_caller]
    pub fn fails(&self, fragment: &str) {
        assert!(self.is_reported(), "{self:?}");
        let errors = self.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        assert!(errors == 1 && self.stderr.contains(fragment), "wanted {fragment:?} in {self:?}");
    }
}

fn drain(mut from: impl Read + Send + 'static) -> Receiver<String> {
    let (done, text) = channel();
    thread::spawn(move || {
        let mut all = String::new();
        let _ = from.read_to_string(&mut all);
        let _ = done.send(all);
    });
    text
}

/// A generator of numbers that a failure can be repeated with.
pub struct Random(u64);

impl Random {
    pub fn new() -> Self {
        let asked = std::env::var("SEED").ok().and_then(|text| text.parse().ok());
        let long = std::env::var_os("LONG").is_some();
        let seed = asked.unwrap_or_else(|| if long { RandomState::new().build_hasher().finish() } else { 7 });
        println!("SEED={seed}");
        Self(seed)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }
}

/// These arguments of `apply`, for both parties unless they say who gets the results: functions have no default.
pub fn to_both(args: &str) -> String {
    if args.contains("--reveal") { args.to_owned() } else { format!("{args} --reveal both") }
}

/// The two columns of a result file.
pub fn results(text: &str) -> (String, Vec<(String, f64)>) {
    let mut lines = text.lines();
    let header = lines.next().expect("a header").to_owned();
    let row = |line: &str| {
        let (id, value) = line.rsplit_once(',').expect("two columns");
        (id.to_owned(), value.parse().expect("a number"))
    };
    (header, lines.map(row).collect())
}

/// `x` rounded to a multiple of `2^-bits`.
pub fn rounded(x: f64, bits: i32) -> f64 {
    (x * 2f64.powi(bits)).round() / 2f64.powi(bits)
}

pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Numbers spread over `lo..hi`, the same on every run.
pub fn spread(count: usize, lo: f64, hi: f64, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count).map(|_| ((lo + (hi - lo) * next()) * 1e4).round() / 1e4).collect()
}

/// The permission bits of a file.
#[cfg(unix)]
pub fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// A share file with the checksum that it should have: the last field.
pub fn sealed(file: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(file).unwrap();
    let tuple = |fields: &[&str]| fields.iter().map(|field| value[field].clone()).collect::<Vec<_>>();
    let public = tuple(&["of", "sharing", "session", "role", "ids"]);
    let numbers = tuple(&["hushtable_shares", "count", "bits", "fraction_bits", "range"]);
    let mut hash = blake3::Hasher::new();
    let all = match value["hushtable_shares"].as_u64() {
        Some(2) => serde_json::json!([public, numbers]),
        _ => serde_json::json!([public, numbers, value["error"]]),
    };
    hash.update(all.to_string().as_bytes());
    for share in value["shares"].as_array().unwrap() {
        hash.update(&share.as_u64().unwrap().to_le_bytes());
    }
    let (rest, _) = file.rsplit_once("\"checksum\":").expect("the last field");
    format!("{rest}\"checksum\":\"{}\"}}", hash.finalize().to_hex())
}
