//! `migrate`: a scenario of a former version becomes one of today, in its place.

#[path = "../common/nobody.rs"]
mod nobody;

use super::*;
use rustix::fs::{XattrFlags, getxattr, setxattr};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

#[test]
fn law_migrate_rewrites_the_words_that_were_renamed_and_nothing_else() {
    let folder = Scratch::new("migrate");
    let former = format!("# tells\n{}\n# the end", SCENARIO.replace("schema = 2", "schema = 1"));
    let today = former.replace("schema = 1", "schema = 2");
    folder.write("a.toml", &former);
    assert_eq!(folder.run(&["check", "a.toml"]).status.code(), Some(2));
    let piped = feed(&folder, &["migrate", "-"], former.as_bytes());
    assert_eq!((piped.status.code(), text(&piped.stdout)), (Some(0), today.clone()));
    for said in
        ["a.toml:2: `1` is `2` now\n", "a.toml is of the current version; nothing was changed\n"]
    {
        let output = folder.run(&["migrate", "a.toml"]);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), said.to_owned()));
        assert_eq!(read(&folder, "a.toml"), today.as_bytes());
    }
    assert!(folder.run(&["check", "a.toml"]).status.code() < Some(2));
    folder.write("b.toml", "schema = 1\n[[");
    assert_eq!(folder.run(&["migrate", "b.toml"]).status.code(), Some(2));
    assert_eq!(read(&folder, "b.toml"), b"schema = 1\n[[");
}

/// A scenario of the version before, and of today.
fn versions() -> [String; 2] {
    [SCENARIO.replace("schema = 2", "schema = 1"), SCENARIO.to_owned()]
}

#[test]
fn law_migrate_follows_links_and_keeps_what_the_file_is() {
    let folder = Scratch::new("migrate-keeps");
    let [former, today] = versions();
    std::fs::create_dir(folder.path("real")).unwrap();
    folder.write("real/own.toml", &former);
    std::os::unix::fs::symlink("own.toml", folder.path("real/link.toml")).unwrap();
    std::os::unix::fs::symlink("real/link.toml", folder.path("link.toml")).unwrap();
    let own = folder.path("real/own.toml");
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o2640)).unwrap();
    if geteuid().is_root() {
        std::os::unix::fs::chown(&own, Some(65_534), Some(65_533)).unwrap();
    }
    let marked = setxattr(&own, c"user.origin", b"here", XattrFlags::empty()).is_ok();
    let before = own.metadata().unwrap();
    let output = folder.run(&["migrate", "link.toml"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    assert_eq!(read(&folder, "real/own.toml"), today.as_bytes());
    let target = |link: &str| std::fs::read_link(folder.path(link)).unwrap();
    assert_eq!(target("link.toml").to_str(), Some("real/link.toml"));
    assert_eq!(target("real/link.toml").to_str(), Some("own.toml"));
    assert_eq!(names(&folder.path("real")), ["link.toml", "own.toml"]);
    let after = own.metadata().unwrap();
    assert_eq!(
        (after.uid(), after.gid(), after.mode()),
        (before.uid(), before.gid(), before.mode())
    );
    let mut value = [0; 8];
    match marked {
        true => assert_eq!(getxattr(&own, c"user.origin", &mut value[..]), Ok(4)),
        false => skip(Needs::Other, "files here have no extended attributes"),
    }
}

#[test]
fn refuses_to_migrate_one_name_of_several() {
    let folder = Scratch::new("migrate-names");
    let [former, today] = versions();
    folder.write("own.toml", &former);
    std::fs::hard_link(folder.path("own.toml"), folder.path("other.toml")).unwrap();
    let output = folder.run(&["migrate", "own.toml"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("it has 2 names (hard links)"), "{said}");
    for file in ["own.toml", "other.toml"] {
        assert_eq!(read(&folder, file), former.as_bytes());
    }
    // The commands that it names do it.
    for command in said.split('`').filter(|part| part.contains('<') || part.contains('>')) {
        let shell = command.replacen("windfall", WINDFALL, 1);
        let done = Command::new("sh").args(["-c", &shell]).current_dir(folder.path("")).output();
        assert!(done.unwrap().status.success(), "{shell}");
    }
    for file in ["own.toml", "other.toml"] {
        assert_eq!(read(&folder, file), today.as_bytes());
    }
    let output = folder.run(&["migrate", "own.toml"]);
    assert!(text(&output.stdout).contains("nothing was changed"), "{output:?}");
}

#[test]
fn refuses_to_migrate_where_nothing_can_be_made_or_kept() {
    let folder = std::env::temp_dir().join(format!("windfall-migrate-{}", std::process::id()));
    let file = folder.join("own.toml");
    let [former, _] = versions();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&file, &former).unwrap();
    // The user may write to the file, and not to the folder; then it is the other way.
    for (rights, owner, said) in [
        (0o755, 65_534, "this user cannot make a file in"),
        (0o777, 0, "its owner (user 0, group 0) would be lost"),
    ] {
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(rights)).unwrap();
        if geteuid().is_root() {
            std::os::unix::fs::chown(&file, Some(owner), Some(owner)).unwrap();
        }
        let Some(output) = nobody::run(&["migrate", file.to_str().unwrap()]) else { break };
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{shown}");
        assert!(shown.contains(said) && shown.contains("`cat NEW > "), "{shown}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), former);
        assert_eq!(names(&folder), ["own.toml"]);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
