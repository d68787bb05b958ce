//! Whom an identity trusts, and the change of its own key.

use super::certificate::{name_of, read_certificate, to_pem, validity_problem};
use super::files::{self, CERTIFICATE, KEY, SPENT, TRUSTED};
use super::name::{check_name, composed_name, is_name};
use super::pins::{Peer, Pin, named, names, pin_path, read_trusted, read_usable};
use super::{Identity, Inner, make};
use crate::error::{Error, Result};
use crate::net::fingerprint::Fingerprint;
use rustls::pki_types::CertificateDer;
use std::fs;
use std::path::Path;
use std::sync::Arc;

impl Identity {
    /// Pins a peer in the identity in `dir`, under `name` or else the name in its certificate. What is
    /// pinned is the certificate whose fingerprint is `confirmed`: the one that the peer said by another
    /// way than the file came, by telephone say.
    ///
    /// # Errors
    /// [`Error::Identity`] if the file is anything but one certificate, it has another fingerprint, is
    /// not valid now or is this identity's own, or a peer of that name is trusted already;
    /// [`Error::Param`] for the name, [`Error::Io`].
    pub fn trust(dir: &Path, cert_pem: &Path, confirmed: Fingerprint, name: Option<&str>) -> Result<Peer> {
        let (certificate, shown) = (read_certificate(cert_pem)?, cert_pem.display());
        let fingerprint = Fingerprint::of(&certificate);
        let refuse = |why: String| Err(Error::Identity(why));
        if fingerprint != confirmed {
            return refuse(format!(
                "{shown} is not the peer's certificate: its fingerprint is {fingerprint}, the peer's {confirmed}"
            ));
        }
        if let Some(problem) = validity_problem(&certificate) {
            return refuse(format!("{shown} {problem}"));
        }
        if read_certificate(&dir.join(CERTIFICATE))? == certificate {
            return refuse(format!("{shown} is the certificate of {} itself", dir.display()));
        }
        let name = match name {
            Some(name) => check_name("name of a peer", name)?,
            None => file_name(&name_of(&certificate)),
        };
        for pin in read_trusted(&dir.join(TRUSTED))? {
            let same = pin.certificate == certificate;
            // Names that differ in capitals only would be one file on some systems.
            match pin.name.to_lowercase() == name.to_lowercase() {
                true if same && pin.name == name => return Ok(pin.peer()),
                true => {
                    return refuse(format!(
                        "another peer is trusted as {}: give this one another name, or untrust that one",
                        pin.name
                    ));
                }
                false if same => return refuse(format!("{shown} is trusted already, as {}", pin.name)),
                false => {}
            }
        }
        files::replace(&pin_path(dir, &name), to_pem(&certificate).as_bytes(), 0o644)?;
        Ok(Peer { name, fingerprint })
    }

    /// Ends the trust in the peer of this name in the identity in `dir`; who that was.
    ///
    /// # Errors
    /// [`Error::Identity`], naming those who are trusted, if there is no such peer; [`Error::Io`].
    pub fn untrust(dir: &Path, name: &str) -> Result<Peer> {
        // Pins that cannot be used do not keep another one.
        let (pins, _) = read_usable(&dir.join(TRUSTED))?;
        let name = composed_name(name);
        let path = pin_path(dir, &name);
        if path.exists() && pins.iter().all(|pin| pin.name != name) {
            let what = "is no certificate that can be used, so that nobody is trusted by it: remove the file";
            return Err(Error::Identity(format!("{} {what}", path.display())));
        }
        let peer = named(&pins, &name, dir)?.peer();
        fs::remove_file(&path).map_err(Error::io(format!("removing {}", path.display())))?;
        files::sync(&dir.join(TRUSTED))?;
        Ok(peer)
    }

    /// A new key and certificate for the identity in `dir`, which keeps its name and the peers that it
    /// trusts; they must trust the new certificate. Run it again if it was interrupted.
    ///
    /// # Errors
    /// [`Error::Identity`] if stores are encrypted under the present key; [`Error::Io`].
    pub fn rotate(dir: &Path) -> Result<Identity> {
        let name = name_of(&read_certificate(&dir.join(CERTIFICATE))?);
        let spent = dir.join(SPENT);
        if fs::read_dir(&spent).is_ok_and(|mut marks| marks.next().is_some()) {
            return Err(Error::Identity(format!(
                "stores are encrypted under the key of {} ({} names them): use them up or remove them with \
                 `hushtable store rm` first",
                dir.display(),
                spent.display()
            )));
        }
        let made = make(&name)?;
        files::replace(&dir.join(KEY), made.key.as_bytes(), 0o600)?;
        files::replace(&dir.join(CERTIFICATE), made.certificate.as_bytes(), 0o644)?;
        Identity::load(dir)
    }

    /// This identity with those trusted who are pinned now; what is wrong with pins that cannot be used, whom nobody
    /// trusts. For a party that goes on: key and certificate stay as they are.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder of pins cannot be read.
    pub fn with_pins_of_now(&self) -> Result<(Identity, Vec<Error>)> {
        let (trusted, bad) = read_usable(&self.trusted_path())?;
        let Inner { dir, name, own, fingerprint, disk, .. } = &*self.0;
        let (dir, name, own, disk) = (dir.clone(), name.clone(), Arc::clone(own), disk.clone());
        Ok((Identity(Arc::new(Inner { dir, name, own, fingerprint: *fingerprint, trusted, disk })), bad))
    }

    /// The peers that this identity trusts, by name.
    pub fn peers(&self) -> Vec<Peer> {
        self.0.trusted.iter().map(Pin::peer).collect()
    }

    /// Who may be at the other end of a job for `name`, or for the only peer there is; `None` if nobody is trusted.
    ///
    /// # Errors
    /// [`Error::Identity`] if no peer has that name, or several are trusted and none is named.
    pub fn expected(&self, name: Option<&str>) -> Result<Option<Peer>> {
        Ok(self.awaited(name)?.as_ref().map(Pin::peer))
    }

    /// `Ok(())` if a party that listens could let in anybody at all.
    ///
    /// # Errors
    /// [`Error::Identity`] if nobody is trusted.
    pub(in crate::net) fn check_awaits_somebody(&self) -> Result<()> {
        if !self.0.trusted.is_empty() {
            return Ok(());
        }
        Err(Error::Identity(format!(
            "nobody could connect, because {} is empty: pin the peer with `hushtable identity trust`",
            self.trusted_path().display()
        )))
    }

    /// The pin of that peer.
    pub(in crate::net) fn awaited(&self, name: Option<&str>) -> Result<Option<Pin>> {
        let (pins, dir) = (&self.0.trusted, &self.0.dir);
        match (name, pins.as_slice()) {
            (Some(name), _) => named(pins, name, dir).cloned().map(Some),
            (None, []) => Ok(None),
            (None, [only]) => Ok(Some(only.clone())),
            (None, _) => Err(Error::Identity(format!(
                "{} trusts several peers; name the one that this is for (--peer): {}",
                dir.display(),
                names(pins)
            ))),
        }
    }

    /// The peers of these names. Without a name nobody: a list from which the last one was taken admits no others.
    ///
    /// # Errors
    /// [`Error::Identity`] for one that is not trusted.
    pub(in crate::net) fn guests(&self, names: &[String]) -> Result<Vec<Pin>> {
        let (pins, dir) = (&self.0.trusted, &self.0.dir);
        names.iter().map(|name| named(pins, name, dir).cloned()).collect()
    }

    /// `Ok(())` if a party that listens would let in peers of all these names.
    ///
    /// # Errors
    /// [`Error::Identity`] for a name that is not trusted.
    pub fn check_guests(&self, names: &[String]) -> Result<()> {
        self.guests(names).map(drop)
    }

    /// The trusted peer with this certificate.
    pub(in crate::net) fn pin_of(&self, certificate: &CertificateDer<'_>) -> Option<&Pin> {
        self.0.trusted.iter().find(|pin| pin.certificate == *certificate)
    }
}

/// A name that came from a peer, as a part of a file name.
fn file_name(name: &str) -> String {
    let known = is_name(name);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c) || (known && c != '.');
    let most = if known { usize::MAX } else { 40 };
    let name: String = name.chars().take(most).map(|c| if plain(c) { c } else { '_' }).collect();
    let name = name.trim_end();
    if name.is_empty() { "peer".into() } else { name.to_owned() }
}
