//! Power cuts, played: the steps in which a store changed a disk are recorded, and for a cut at any moment
//! what a disk may then hold is laid out in a folder of its own.
//!
//! A disk keeps what was synced. Of the rest it keeps any part: bytes of a file without its name, a name
//! without its bytes, a later write without an earlier one, a write cut short or as zeros. Nothing but a
//! sync of a file keeps its bytes, and nothing but a sync of a folder the names in it.
#![cfg_attr(not(feature = "tls"), allow(dead_code))] // its tests have identities

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use prim::prg::Prg;

/// A change of the disk, or a promise made by then.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Create(PathBuf),
    Folder(PathBuf),
    Append(PathBuf, Vec<u8>),
    Truncate(PathBuf, u64),
    Rename(PathBuf, PathBuf),
    Sync(PathBuf),
    /// What the caller relies on from here on.
    Promise(u64),
}

thread_local! {
    static STEPS: RefCell<Option<Vec<Step>>> = const { RefCell::new(None) };
}

/// Notes a step of this thread, if they are recorded.
pub(super) fn note(step: Step) {
    STEPS.with_borrow_mut(|steps| steps.iter_mut().for_each(|steps| steps.push(step.clone())));
}

/// The steps of `f` on this thread.
pub(super) fn record<T>(f: impl FnOnce() -> T) -> (T, Vec<Step>) {
    STEPS.set(Some(Vec::new()));
    let out = f();
    (out, STEPS.take().expect("recorded"))
}

/// Number of a file or folder, whatever it is called.
type Node = usize;

/// A step on nodes.
enum Change {
    /// From an offset on.
    Data(Node, usize, Vec<u8>),
    Cut(Node, usize),
    /// Of a folder: a name that goes, and one that comes.
    Names(Node, Option<String>, Option<(String, Node)>),
    Sync(Node),
    Promise(u64),
}

/// What was done below a folder, and what was there before.
pub(super) struct Tape {
    /// What the nodes were: `None` for folders.
    before: Vec<Option<Vec<u8>>>,
    names: Vec<(Node, String, Node)>,
    changes: Vec<Change>,
    folders: BTreeSet<Node>,
    /// Of files, when all is done.
    lengths: BTreeMap<Node, usize>,
}

impl Tape {
    /// `before` is a copy of `root` from before the steps: all of it is durable.
    pub(super) fn new(before: &Path, root: &Path, steps: Vec<Step>) -> Self {
        let mut tape = Self {
            before: vec![None],
            names: Vec::new(),
            changes: Vec::new(),
            folders: BTreeSet::from([0]),
            lengths: BTreeMap::new(),
        };
        let mut live = BTreeMap::from([(root.to_path_buf(), 0)]);
        tape.scan(before, root, 0, &mut live);
        for step in steps {
            tape.push(step, &mut live);
        }
        tape
    }

    fn scan(&mut self, from: &Path, to: &Path, folder: Node, live: &mut BTreeMap<PathBuf, Node>) {
        for entry in fs::read_dir(from).unwrap() {
            let (path, name) = entry.map(|e| (e.path(), e.file_name())).unwrap();
            let (node, at) = (self.before.len(), to.join(&name));
            self.names.push((folder, name.into_string().unwrap(), node));
            live.insert(at.clone(), node);
            if path.is_dir() {
                self.before.push(None);
                self.folders.insert(node);
                self.scan(&path, &at, node, live);
            } else {
                let bytes = fs::read(&path).unwrap();
                self.lengths.insert(node, bytes.len());
                self.before.push(Some(bytes));
            }
        }
    }

    fn push(&mut self, step: Step, live: &mut BTreeMap<PathBuf, Node>) {
        let place = |live: &BTreeMap<PathBuf, Node>, path: &Path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (live[path.parent().unwrap()], name)
        };
        let change = match step {
            Step::Create(ref path) | Step::Folder(ref path) => {
                let (folder, name) = place(live, path);
                let node = self.before.len() + self.changes.len();
                live.insert(path.clone(), node);
                if matches!(step, Step::Folder(_)) {
                    self.folders.insert(node);
                }
                Change::Names(folder, None, Some((name, node)))
            }
            Step::Append(path, bytes) => {
                let end = self.lengths.entry(live[&path]).or_default();
                *end += bytes.len();
                Change::Data(live[&path], *end - bytes.len(), bytes)
            }
            Step::Truncate(path, len) => {
                self.lengths.insert(live[&path], len as usize);
                Change::Cut(live[&path], len as usize)
            }
            Step::Rename(from, to) => {
                let ((folder, old), (_, new)) = (place(live, &from), place(live, &to));
                let node = live.remove(&from).unwrap();
                live.insert(to, node);
                Change::Names(folder, Some(old), Some((new, node)))
            }
            Step::Sync(path) => Change::Sync(live[&path]),
            Step::Promise(what) => Change::Promise(what),
        };
        self.changes.push(change);
    }

    /// Moments at which the power may be cut.
    pub(super) fn moments(&self) -> usize {
        self.changes.len() + 1
    }

    /// The last promise before that moment.
    pub(super) fn promised(&self, moment: usize) -> Option<u64> {
        let promise = |change: &Change| if let Change::Promise(what) = change { Some(*what) } else { None };
        self.changes[..moment].iter().rev().find_map(promise)
    }

    /// Lays out in the new folder `to` what a disk may hold after a cut at that moment. Of what was not
    /// synced it holds nothing, all, or what `chance` says.
    pub(super) fn cut(&self, moment: usize, luck: Luck, chance: &mut Prg, to: &Path) {
        let mut data: BTreeMap<Node, Vec<u8>> =
            self.before.iter().enumerate().filter_map(|(i, bytes)| Some((i, bytes.clone()?))).collect();
        let mut names: BTreeMap<(Node, String), Node> =
            self.names.iter().map(|(folder, name, node)| ((*folder, name.clone()), *node)).collect();
        for (at, change) in self.changes[..moment].iter().enumerate() {
            let synced = |node: Node| {
                self.changes[at..moment].iter().any(|later| matches!(later, Change::Sync(n) if *n == node))
            };
            let mut kept = |node| synced(node) || luck.keeps(chance);
            match change {
                Change::Names(folder, old, new) if kept(*folder) => {
                    if let Some(old) = old {
                        names.remove(&(*folder, old.clone()));
                    }
                    names.extend(new.iter().map(|(name, node)| ((*folder, name.clone()), *node)));
                }
                Change::Cut(node, len) if kept(*node) => {
                    data.entry(*node).or_default().resize(*len, 0);
                }
                Change::Data(node, from, bytes) => {
                    let written = if synced(*node) { bytes.clone() } else { luck.tear(bytes, chance) };
                    let (file, end) = (data.entry(*node).or_default(), from + written.len());
                    if !written.is_empty() {
                        // What was to be before it and is lost reads as zeros.
                        file.resize(file.len().max(end), 0);
                        file[*from..end].copy_from_slice(&written);
                    }
                }
                _ => {}
            }
        }
        self.lay_out(0, &data, &names, to);
    }

    fn lay_out(
        &self,
        folder: Node,
        data: &BTreeMap<Node, Vec<u8>>,
        names: &BTreeMap<(Node, String), Node>,
        to: &Path,
    ) {
        fs::create_dir(to).unwrap();
        for ((_, name), node) in names.iter().filter(|((of, _), _)| *of == folder) {
            let path = to.join(name);
            if self.folders.contains(node) {
                self.lay_out(*node, data, names, &path);
            } else {
                fs::write(&path, data.get(node).map_or(&[][..], |bytes| bytes)).unwrap();
                #[cfg(unix)]
                fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
            }
        }
    }
}

/// What becomes of what was not synced.
#[derive(Clone, Copy, Debug)]
pub(super) enum Luck {
    None,
    All,
    Some,
}

impl Luck {
    pub(super) const ALL: [Self; 3] = [Self::None, Self::All, Self::Some];

    fn keeps(self, chance: &mut Prg) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Some => chance.below(2) == 1,
        }
    }

    /// What is left of bytes at the end of a file.
    fn tear(self, bytes: &[u8], chance: &mut Prg) -> Vec<u8> {
        match self {
            Self::None => Vec::new(),
            Self::All => bytes.to_vec(),
            Self::Some => match chance.below(4) {
                0 => Vec::new(),
                1 => bytes.to_vec(),
                2 => vec![0; bytes.len()],
                _ => bytes[..chance.below(bytes.len() as u32 + 1) as usize].to_vec(),
            },
        }
    }
}

#[cfg(feature = "tls")]
mod tests;
