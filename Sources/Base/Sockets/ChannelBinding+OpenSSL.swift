import CCurl

extension ChannelBinding {
  /// Returns the bindings of a libcurl connection that has been used since its handshake, the
  /// preferred first.
  ///
  /// For TLS 1.3, `tls-unique` is not defined (RFC 9266 §3). It comes after `tls-exporter` there
  /// and is used only with servers that support nothing else, as ejabberd before 23.10: OpenSSL's
  /// Finished message of TLS 1.3 differs between connections as well.
  static func all(of easy: UnsafeMutableRawPointer) -> [ChannelBinding] {
    let exporter = binding(.exporter, easy, natter_tls_exporter)
    let unique = binding(.unique, easy, natter_tls_unique)
    let serverEndPoint = binding(.serverEndPoint, easy, natter_tls_server_end_point)
    let isLatest = natter_tls_is_1_3(easy) == 1
    // Up to TLS 1.2, every server with channel binding supports tls-unique (RFC 5802 §6.1).
    let preferred = isLatest ? [exporter, unique] : [unique, exporter]
    return (preferred + [serverEndPoint]).compactMap { $0 }
  }

  private static func binding(
    _ kind: BindingType, _ easy: UnsafeMutableRawPointer,
    _ read: (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int) -> Int
  ) -> ChannelBinding? {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(easy, &bytes, bytes.count)
    return count > 0 ? ChannelBinding(kind, Array(bytes.prefix(count))) : nil
  }
}
