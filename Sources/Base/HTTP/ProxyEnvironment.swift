import Glibc

/// The proxies of the environment, read as libcurl does.
enum ProxyEnvironment {
  /// Returns whether requests to `address` use a proxy, which then looks up names and creates the
  /// sockets.
  static func holds(for address: WebAddress) -> Bool {
    let names = address.isEncrypted ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    guard value(names + ["all_proxy", "ALL_PROXY"]) != nil else { return false }
    let host = plain(address.host)
    return !(value(["no_proxy", "NO_PROXY"]) ?? "").split { $0 == "," || $0 == " " }.contains {
      let name = plain($0)
      return name == "*" || host == name || host.hasSuffix("." + name)
    }
  }

  private static func value(_ names: [String]) -> String? {
    names.lazy.compactMap { getenv($0).map { String(cString: $0) } }.first { !$0.isEmpty }
  }

  /// Returns a name without dots at its start and end, in lower case.
  private static func plain(_ name: some StringProtocol) -> String {
    String(name.lowercased().drop { $0 == "." }.reversed().drop { $0 == "." }.reversed())
  }
}
