//! Locks with a protocol of their own.

use super::reader::Reader;
use crate::decode::decode;
use crate::file::LockFile;
use crate::model::Lock;
use crate::source::Path;
use crate::tree::Node;
use windfall_programs::LockProtocol;

pub(super) fn locks(node: Option<Node<'_>>, reader: &mut Reader<'_>) -> Vec<Lock> {
    let mut locks = Vec::new();
    for (name, node) in reader.named(node, "locks") {
        let path = Path::of(&["locks", &name, "protocol"]);
        let file: LockFile = decode(node, &mut reader.mistakes).unwrap_or_default();
        let what = "`protocol = \"inherit\"`, `\"ceiling\"` or `\"none\"`";
        let protocol = reader.need(file.protocol, &path, what).unwrap_or(LockProtocol::None);
        locks.push(Lock::new(name, protocol));
    }
    locks
}
