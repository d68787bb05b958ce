//! Options that stay the same from job to job: an argument counts before the environment, that before a file.

use std::{
    env,
    ffi::OsString,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use clap::Command;
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::{calibration::user_folder, toml_file::TomlFile};
use serde::Serialize;

/// The options, by their long names. None has a secret.
const NAMES: [&str; 8] = ["identity", "listen", "connect", "peer", "calibration", "price", "net", "ot"];

/// Those that name a file or a folder: in a file relative to its own folder.
const PATHS: [&str; 2] = ["identity", "calibration"];

/// Names the file; without it that of the working folder is read, or else that of the user.
const FILE_NAMED_BY: &str = "HUSHTABLE_CONFIG";

/// The file's name where it is looked for.
const FILE: &str = "hushtable.toml";

/// Commands that follow none of them: both parties must get the same circuit, whatever their machines are.
const WITHOUT: [&str; 1] = ["compile"];

/// What an option is unless an argument says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    pub option: &'static str,
    pub value: String,
    /// A variable of the environment, or a file and a line.
    pub from: String,
}

/// The variable of an option.
pub fn variable(option: &str) -> String {
    format!("HUSHTABLE_{}", option.to_uppercase())
}

/// All that is set, those of the environment first.
pub fn settings() -> Result<Vec<Setting>> {
    let mut all = of_environment(|name| env::var_os(name).filter(|value| !value.is_empty()))?;
    if let Some(path) = file() {
        let text = own_text(&path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let of_file = of_file(TomlFile { path: &path, text: &text }, folder)?;
        let new: Vec<_> =
            of_file.into_iter().filter(|one| all.iter().all(|other| !excludes(other, one))).collect();
        all.extend(new);
    }
    Ok(all)
}

/// Whether a setting leaves no room for one of less weight: it is of the same option, or both say who listens.
fn excludes(first: &Setting, then: &Setting) -> bool {
    let sides = ["listen", "connect"];
    first.option == then.option || [first.option, then.option].iter().all(|option| sides.contains(option))
}

fn of_environment(value: impl Fn(&str) -> Option<OsString>) -> Result<Vec<Setting>> {
    let mut all: Vec<Setting> = Vec::new();
    for option in NAMES {
        let from = variable(option);
        let Some(value) = value(&from) else { continue };
        let value = value.into_string().map_err(|_| Failure::new(format!("{from}: no UTF-8 text")))?;
        let setting = Setting { option, value, from };
        if let Some(other) = all.iter().find(|other| excludes(other, &setting)) {
            return Err(Failure::new(format!(
                "{} and {}: a party listens or connects",
                other.from, setting.from
            )));
        }
        all.push(setting);
    }
    Ok(all)
}

/// What a file says, whose relative paths begin in `folder`.
fn of_file(file: TomlFile<'_>, folder: &Path) -> Result<Vec<Setting>> {
    use toml::de::DeValue::{Float, Integer, String as Text};
    let table = file.table()?;
    file.knows(&table, "a file of settings", &NAMES)?;
    let mut all: Vec<Setting> = Vec::new();
    for (key, value) in &table {
        let option = NAMES.into_iter().find(|name| name == key.get_ref()).expect("known");
        let from = format!("{}, line {}", file.path.display(), file.line(&key.span()));
        let text = match value.get_ref() {
            Text(text) if PATHS.contains(&option) => folder.join(text.as_ref()).display().to_string(),
            Text(text) => text.to_string(),
            Integer(_) | Float(_) => file.written(value).to_owned(),
            _ => file.string(option, value)?.to_owned(),
        };
        let setting = Setting { option, value: text, from };
        if all.iter().any(|other| excludes(other, &setting)) {
            return Err(file.says(Some(key.span()), "listen and connect: a party does one of both"));
        }
        all.push(setting);
    }
    Ok(all)
}

/// The file, if there is one.
fn file() -> Option<PathBuf> {
    let named = env::var_os(FILE_NAMED_BY).filter(|path| !path.is_empty()).map(PathBuf::from);
    let here = || Some(PathBuf::from(FILE)).filter(|path| path.is_file());
    let of_user = || user_folder().map(|folder| folder.join(FILE)).filter(|path| path.is_file());
    named.or_else(here).or_else(of_user)
}

/// What stands in the file. What somebody else could have written is refused: it says whom this party trusts.
fn own_text(path: &Path) -> Result<String> {
    let mut file = File::open(path).map_err(Failure::file(path))?;
    // Of what was opened, whatever the name is of by now.
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let about = file.metadata().map_err(Failure::file(path))?;
        let me = rustix::process::geteuid().as_raw();
        if !is_own([about.uid(), about.gid()], about.mode(), me) {
            return Err(Failure::input(format!(
                "{}: somebody else can write this file, which says whom this party trusts; make it your own, or name \
                 another one by {FILE_NAMED_BY}",
                path.display()
            )));
        }
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(Failure::file(path))?;
    Ok(text)
}

/// Whether nobody else than this user and the system's can write a file of this owner and group. A group with the
/// number of a user has nobody else.
#[cfg(unix)]
fn is_own([owner, group]: [u32; 2], mode: u32, me: u32) -> bool {
    let others = if group == owner { 0o002 } else { 0o022 };
    [0, me].contains(&owner) && mode & others == 0
}

/// What a file in the working folder says of this command, if there is one: it may have come with other files.
pub fn of_this_folder(applied: &[Setting]) -> Option<String> {
    let here = applied.iter().filter(|one| one.from.starts_with(&format!("{FILE}, ")));
    let all: Vec<String> = here.map(|one| format!("--{} {}", one.option, one.value)).collect();
    (!all.is_empty()).then(|| format!("{FILE} in this folder says {}\n", all.join(", ")))
}

/// What was put among the arguments, and the arguments then.
pub type Applied = (Vec<Setting>, Vec<OsString>);

/// Puts settings among the arguments of `command`, where the option is one of the subcommand and nothing was said that
/// excludes it.
pub fn apply(command: &Command, arguments: Vec<OsString>) -> Result<Applied> {
    let (leaf, at) = leaf(command, &arguments);
    let asks_for_help = arguments.iter().any(|word| word == "-h" || word == "--help");
    let has =
        |option: &&str| leaf.get_arguments().any(|arg| arg.get_long() == Some(option) && !arg.is_hide_set());
    if asks_for_help || WITHOUT.contains(&leaf.get_name()) || !NAMES.iter().any(has) {
        return Ok((vec![], arguments));
    }
    Ok(merged(leaf, at, arguments, settings()?))
}

fn merged(leaf: &Command, at: usize, mut arguments: Vec<OsString>, settings: Vec<Setting>) -> Applied {
    let given: Vec<&clap::Arg> = leaf.get_arguments().filter(|arg| is_given(arg, &arguments[at..])).collect();
    let fits = |setting: &Setting| {
        let Some(arg) = leaf.get_arguments().find(|arg| arg.get_long() == Some(setting.option)) else {
            return false;
        };
        let conflicts = |a: &clap::Arg, b: &clap::Arg| {
            leaf.get_arg_conflicts_with(a).iter().any(|c| c.get_id() == b.get_id())
        };
        !arg.is_hide_set()
            && given.iter().all(|other| {
                other.get_id() != arg.get_id() && !conflicts(arg, other) && !conflicts(other, arg)
            })
    };
    // Two ways to say what is to be least.
    let has_aim = given.iter().any(|arg| arg.get_id() == "optimise");
    let fits = |setting: &Setting| fits(setting) && !(has_aim && setting.option == "price");
    let applied: Vec<Setting> = settings.into_iter().filter(fits).collect();
    let words = applied.iter().map(|one| OsString::from(format!("--{}={}", one.option, one.value)));
    arguments.splice(at..at, words);
    (applied, arguments)
}

/// Whether an option stands among the arguments.
fn is_given(arg: &clap::Arg, arguments: &[OsString]) -> bool {
    let names: Vec<&str> =
        arg.get_long().into_iter().chain(arg.get_all_aliases().unwrap_or_default()).collect();
    let is = |word: &str, name: &&str| {
        word.strip_prefix(*name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    arguments
        .iter()
        .take_while(|word| *word != "--")
        .filter_map(|word| word.to_str()?.strip_prefix("--"))
        .any(|word| names.iter().any(|name| is(word, name)))
}

/// The subcommand that the arguments name, and where its own begin.
pub fn leaf<'a>(command: &'a Command, arguments: &[OsString]) -> (&'a Command, usize) {
    let (mut leaf, mut at) = (command, 1.min(arguments.len()));
    for (i, word) in arguments.iter().enumerate().skip(1) {
        match word.to_str().map(|word| (word.starts_with('-'), leaf.find_subcommand(word))) {
            Some((_, Some(next))) => (leaf, at) = (next, i + 1),
            Some((true, None)) => {}
            _ => break,
        }
    }
    (leaf, at)
}

#[cfg(test)]
mod tests;
