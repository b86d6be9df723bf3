//! How far two processors are from each other, as the kernel tells it below `/sys/devices/system/cpu`.

use std::fs;
use std::path::Path;

/// How far two processors are from each other, nearest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Distance {
    /// Siblings: they share a core.
    Core,
    /// They share the last cache.
    Cache,
    /// They share a memory node.
    Node,
    /// They have memory nodes of their own.
    Nodes,
    /// The kernel does not say.
    Unknown,
}

impl Distance {
    /// In words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Distance::Core => "on one core",
            Distance::Cache => "with one last cache",
            Distance::Node => "on one memory node",
            Distance::Nodes => "on two memory nodes",
            Distance::Unknown => "at an unknown distance",
        }
    }
}

/// Where processors are.
pub(crate) struct Topology(Vec<(u16, Place)>);

/// The levels that a processor shares, by the lists of those that share them; the memory node by its name.
struct Place {
    core: Option<String>,
    cache: Option<String>,
    node: Option<String>,
}

impl Topology {
    /// Of these processors, below a root that tests choose.
    pub(crate) fn read(root: &Path, processors: &[u16]) -> Topology {
        let place = |processor: &u16| {
            let folder = root.join(format!("sys/devices/system/cpu/cpu{processor}"));
            (*processor, Place::read(&folder))
        };
        Topology(processors.iter().map(place).collect())
    }

    pub(crate) fn distance(&self, one: u16, other: u16) -> Distance {
        let of =
            |wanted| self.0.iter().find(|(number, _)| *number == wanted).map(|(_, place)| place);
        let (Some(one), Some(other)) = (of(one), of(other)) else { return Distance::Unknown };
        let is_one = |of: fn(&Place) -> &Option<String>| of(one).is_some() && of(one) == of(other);
        if is_one(|place| &place.core) {
            Distance::Core
        } else if is_one(|place| &place.cache) {
            Distance::Cache
        } else if one.core.is_none() || other.core.is_none() {
            Distance::Unknown
        } else if one.node == other.node {
            // A kernel without memory nodes has none, which is one.
            Distance::Node
        } else {
            Distance::Nodes
        }
    }
}

impl Place {
    fn read(folder: &Path) -> Place {
        let names = |folder: &Path| {
            let all = fs::read_dir(folder).into_iter().flatten().flatten();
            all.filter_map(|entry| entry.file_name().into_string().ok()).collect::<Vec<_>>()
        };
        let text = |path: &Path| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
        let topology = folder.join("topology");
        let core = text(&topology.join("core_cpus_list"));
        let core = core.or_else(|| text(&topology.join("thread_siblings_list")));
        let caches = folder.join("cache");
        let level = |name: String| {
            let level: u8 = text(&caches.join(&name).join("level"))?.parse().ok()?;
            Some((level, text(&caches.join(&name).join("shared_cpu_list"))?))
        };
        let cache = names(&caches).into_iter().filter_map(level).max();
        let is_node = |name: &String| {
            name.strip_prefix("node").is_some_and(|number| number.parse::<u32>().is_ok())
        };
        let node = names(folder).into_iter().find(is_node);
        Place { core, cache: cache.map(|(_, shared)| shared), node }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_the_nearest_thing_that_is_shared_says_how_far_processors_are() {
        let root = std::env::temp_dir().join(format!("windfall-topology-{}", std::process::id()));
        // A core of two, two cores with one cache, two caches on a node, two nodes; 12 says nothing.
        let cpus: Vec<u16> = (0..8).chain([12]).collect();
        for cpu in 0..8_u16 {
            let folder = root.join(format!("sys/devices/system/cpu/cpu{cpu}"));
            let write = |path: &str, text: String| {
                let path = folder.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text + "\n").unwrap();
            };
            let core = cpu & !1;
            // An older kernel has the other name.
            let name = if cpu < 4 { "core_cpus_list" } else { "thread_siblings_list" };
            write(&format!("topology/{name}"), format!("{core}-{}", core + 1));
            write("cache/index0/level", "1".to_owned());
            write("cache/index0/shared_cpu_list", "0-7".to_owned());
            write("cache/index3/level", "3".to_owned());
            let last = if cpu < 4 { "0-3".to_owned() } else { format!("{core}-{}", core + 1) };
            write("cache/index3/shared_cpu_list", last);
            fs::create_dir_all(folder.join(format!("node{}", u16::from(cpu > 5)))).unwrap();
        }
        let topology = Topology::read(&root, &cpus);
        fs::remove_dir_all(&root).unwrap();
        let of = |one, other| topology.distance(one, other);
        assert_eq!(
            (of(0, 1), of(5, 4), of(3, 0)),
            (Distance::Core, Distance::Core, Distance::Cache)
        );
        assert_eq!((of(0, 4), of(6, 0)), (Distance::Node, Distance::Nodes));
        assert_eq!((of(0, 12), of(0, 13)), (Distance::Unknown, Distance::Unknown));
    }
}
