import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// Runs the test only where a program can have a network of its own.
  static var requiresNetworkNamespaces: Self {
    .enabled("needs network namespaces (unshare -rn)") {
      let run = try? await CommandRun("unshare", ["-rn", "true"], environment: [:])
      return run?.status == .exited(0)
    }
  }

  /// Runs the test only where such a network can get a link.
  static var requiresNetworkLinks: Self {
    .enabled("needs network namespaces (unshare -rn) and ip (iproute2) with dummy or bridge links")
    {
      // A machine may refuse such networks; what is to be installed is another matter.
      if ProgramRequirement.areAllRequired, !Programs.exists("ip") { return true }
      let run = try? await CommandRun(
        "unshare", ["-rn", "sh", "-c", NetworkLink.script], environment: NetworkLink.environment)
      return run?.status == .exited(0)
    }
  }
}

/// A link that leads nowhere.
enum NetworkLink {
  static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
  /// Adds it, with an address.
  static let script = """
    ip link add n0 type dummy 2>/dev/null || ip link add n0 type bridge || exit 1
    ip addr add 192.0.2.1/24 dev n0
    """
}
