import ViewModels

extension AboutViewModel.Sources {
  /// A page about the program with one thing of each kind on it.
  static var forTests: Self {
    Self(
      version: "1", facts: { [DetailItem("Account", "alice@example.org")] },
      diagnose: { report in
        report(DetailItem("terminal", "[ok] TERM=xterm COLORTERM="))
        report(DetailItem("DNS", "[ok] chat.example.org port 5223, direct TLS, from SRV records"))
        report(DetailItem("connection", "[BAD] The server does not answer."))
      },
      components: {
        [DetailItem("SQLite", "blessing (public domain), https://www.sqlite.org")]
      })
  }
}
