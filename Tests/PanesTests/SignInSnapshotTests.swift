import NatterCore
import TestSupport
import Testing
import ViewModels

@testable import Panes

@Suite struct SignInSnapshotTests {
  @Test func `the sign-in form at 120x40`() {
    #expect(
      picture(filledSignInPane(), 120, 40) == """
        +- Sign in ------------------------------------------------------+
        |                                                                |
        |>Address     [alice@example.org                               ] |
        |              Natter will contact example.org                   |
        | Password    [                                                ] |
        |              Alt+V shows what you type                         |
        |                                                                |
        | [x] Remember me on this computer                               |
        | [x] Sign in when Natter starts                                 |
        |                                                                |
        | [ Sign in ]   [ New account... ]                               |
        |                                                                |
        | v Advanced: server, port, TLS, certificate                     |
        |                                                                |
        |                                                                |
        |                                                                |
        | Tab next field   Enter sign in   ^Q quit   F1 help             |
        +----------------------------------------------------------------+
        """)
  }

  @Test func `the sign-in form at 80x24`() {
    #expect(
      picture(filledSignInPane(), 80, 24) == """
        +- Sign in ------------------------------------------------------+
        |                                                                |
        |>Address     [alice@example.org                               ] |
        |              Natter will contact example.org                   |
        | Password    [                                                ] |
        |              Alt+V shows what you type                         |
        |                                                                |
        | [x] Remember me on this computer                               |
        | [x] Sign in when Natter starts                                 |
        |                                                                |
        | [ Sign in ]   [ New account... ]                               |
        |                                                                |
        | v Advanced: server, port, TLS, certificate                     |
        |                                                                |
        |                                                                |
        |                                                                |
        | Tab next field   Enter sign in   ^Q quit   F1 help             |
        +----------------------------------------------------------------+
        """)
  }

  @Test func `the sign-in form at 40x15`() {
    #expect(
      picture(filledSignInPane(), 40, 15) == """
        +- Sign in ----------------------------+
        |>Address  [alice@example.org        ] |
        |   Natter will contact example.org    |
        | Password [                         ] |
        |   Alt+V shows what you type          |
        |                                      |
        | [x] Remember me                      |
        | [x] Sign in at start                 |
        |                                      |
        | [ Sign in ] [ New account ]          |
        |                                      |
        | v Advanced                           |
        |                                      |
        +--------------------------------------+
        Tab field  Enter OK  F1 help  ^Q quit
        """)
  }

  @Test func `the sign-in form at 20x5`() {
    #expect(
      picture(filledSignInPane(), 20, 5) == """
        >Address  [le.org ]
         Password [       ]
         [x] Remember me
         [x] Sign in at
        PgDn more  ^Q quit
        """)
  }

  @Test func `the sign-in form with its advanced part at 80x24`() {
    #expect(
      picture(advancedPane(), 80, 24) == """
        +- Sign in ------------------------------------------------------+
        | Address     [                                                ] |
        |              looks like name@server, e.g. alice@example.org    |
        | Password    [                                                ] |
        |              Alt+V shows what you type                         |
        |                                                                |
        | [x] Remember me on this computer                               |
        | [x] Sign in when Natter starts                                 |
        |                                                                |
        | [ Sign in ]   [ New account... ]                               |
        |                                                                |
        | ^ Advanced: server, port, TLS, certificate                     |
        | Server      [                                                ] |
        |              only if it cannot be found from the address       |
        |>Port        [                                                ] |
        | TLS         < automatic >                                      |
        | CA file     [                                                ] |
        |              a PEM file of further authorities to trust        |
        |                                                                |
        |                                                                |
        | Tab next field   Enter sign in   ^Q quit   F1 help             |
        +----------------------------------------------------------------+
        """)
  }

  @Test func `the sign-in form with its advanced part at 40x15`() {
    #expect(
      picture(advancedPane(), 40, 15) == """
        +- Sign in ----------------------------+
        | Address  [                         ] |
        | Password [                         ] |
        | [x] Remember me                      |
        | [x] Sign in at start                 |
        | [ Sign in ] [ New account ]          |
        | ^ Advanced                           |
        | Server   [                         ] |
        |>Port     [                         ] |
        | TLS      < automatic >               |
        | CA file  [                         ] |
        |                                      |
        |                                      |
        +--------------------------------------+
        Tab field  Enter OK  F1 help  ^Q quit
        """)
  }

  @Test func `a wrong password at 80x24`() {
    #expect(
      picture(signInPane(showing: .wrongPassword, detail: "not-authorized"), 80, 24) == """
        +- Sign in ------------------------------------------------------+
        |                                                                |
        | Address     [alice@example.org                               ] |
        |              Natter will contact example.org                   |
        |>Password    [                                                ] |
        |              ! Wrong password.                                 |
        |                                                                |
        | [x] Remember me on this computer                               |
        | [x] Sign in when Natter starts                                 |
        |                                                                |
        | [ Sign in ]   [ Forgotten? ]   [ New account... ]              |
        |                                                                |
        | v Advanced: server, port, TLS, certificate                     |
        |                                                                |
        | ! example.org does not accept this address with this password. |
        | Where: example.org, port 5222                                  |
        | Detail: server: not-authorized                                 |
        | Check both, capitals count; then try again.                    |
        |                                                                |
        | Tab next field   Enter sign in   ^Q quit   F1 help             |
        +----------------------------------------------------------------+
        """)
  }

  @Test func `a wrong password at 40x15`() {
    #expect(
      picture(signInPane(showing: .wrongPassword, detail: "not-authorized"), 40, 15) == """
        +- Sign in ----------------------------+
        | Address  [alice@example.org        ] |
        |>Password [                         ] |
        |   ! Wrong password.                  |
        | [x] Remember me                      |
        | [x] Sign in at start                 |
        | [ Sign in ] [ Forgotten? ]           |
        | ! example.org does not accept this   |
        | address with this password.          |
        | Where: example.org, port 5222        |
        | Detail: server: not-authorized       |
        | Check both, capitals count; then try |
        | again.                               |
        +------------------------------------v-+
        PgDn more  Tab field  Enter OK  ^Q quit
        """)
  }

  @Test func `a refused connection at 80x24`() {
    #expect(
      picture(signInPane(showing: .refused, detail: "ECONNREFUSED"), 80, 24) == """
        +- Sign in ------------------------------------------------------+
        | Address     [alice@example.org                               ] |
        |              Natter will contact example.org                   |
        |>Password    [                                                ] |
        |              Alt+V shows what you type                         |
        |                                                                |
        | [x] Remember me on this computer                               |
        | [x] Sign in when Natter starts                                 |
        |                                                                |
        | [ Sign in ]   [ New account... ]                               |
        |                                                                |
        | v Advanced: server, port, TLS, certificate                     |
        | ! Connection refused.                                          |
        | Where: example.org, port 5222                                  |
        | Detail: ECONNREFUSED                                           |
        | Nothing answers at example.org, port 5222: the server is down, |
        | or listens elsewhere.                                          |
        | Try again later, or check server and port (Advanced, or        |
        | --server HOST:PORT).                                           |
        |                                                                |
        | Tab next field   Enter sign in   ^Q quit   F1 help             |
        +----------------------------------------------------------------+
        """)
  }

  @Test func `a refused connection at 40x15`() {
    #expect(
      picture(signInPane(showing: .refused, detail: "ECONNREFUSED"), 40, 15) == """
        +- Sign in ----------------------------+
        | Address  [alice@example.org        ] |
        |>Password [                         ] |
        | [x] Remember me                      |
        | [x] Sign in at start                 |
        | [ Sign in ] [ New account ]          |
        | v Advanced                           |
        |                                      |
        | ! Connection refused.                |
        | Where: example.org, port 5222        |
        | Try again later, or check server and |
        | port (Advanced, or --server          |
        | HOST:PORT).                          |
        +--------------------------------------+
        Tab field  Enter OK  F1 help  ^Q quit
        """)
  }

  @Test func `a certificate that is not trusted at 80x24`() {
    #expect(
      picture(
        signInPane(showing: .certificateSelfSigned, detail: "self-signed certificate"), 80, 24)
          == """
          +- Sign in ------------------------------------------------------+
          | +- ! Certificate refused ------------------------------------+ |
          | | Natter did not sign in: the server could not prove who it  | |
          | | is.                                                        | |
          | |                                                            | |
          | |   Server   example.org, port 5222                          | |
          | |   Reason   the certificate is not trusted: it is           | |
          | |            self-signed                                     | |
          | |   Detail   TLS library: self-signed certificate            | |
          | |                                                            | |
          | | The certificate of example.org is signed only by itself,   | |
          | | not by an authority.                                       | |
          | | If you run the server, or its operator gave you the        | |
          | | certificate, give it as CA file (Advanced, or --ca-file).  | |
          | |                                                            | |
          | | Nothing was sent to it, neither name nor password.         | |
          | |                                                            | |
          | | [>Back<]  [ Give a CA file... ]                            | |
          | +------------------------------------------------------------+ |
          +----------------------------------------------------------------+
          """)
  }

  @Test func `a certificate that is not trusted at 40x15`() {
    #expect(
      picture(
        signInPane(showing: .certificateSelfSigned, detail: "self-signed certificate"), 40, 15)
          == """
          ++- ! Certificate refused ------------++
          || Natter did not sign in: the server ||
          || could not prove who it is.         ||
          ||                                    ||
          || Server example.org, port 5222      ||
          || Reason the certificate is not      ||
          ||        trusted: it is self-signed  ||
          || If you run the server, or its      ||
          || operator gave you the certificate, ||
          || give it as CA file (Advanced, or   ||
          || --ca-file).                        ||
          ||                                    ||
          || [>Back<] [ CA file... ]            ||
          ++------------------------------------++
          Tab field  Enter OK  F1 help  ^Q quit
          """)
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `what failed is in the box at 40x15, in text of this program or else the library's`(
    language: String
  ) throws {
    let words = try texts(of: language)
    func box(_ kind: ConnectionProblem.ProblemKind) -> String {
      picture(
        signInPane(showing: kind, detail: "SSL certificate problem: odd", language: language), 40,
        15)
    }
    let known = box(.certificateNotYetValid)
    #expect(!known.contains("SSL"), "\(known)")
    // All of it has room, down to the button; one that leads to a CA file would be of no use.
    let back = try #require(words["certificate.back"])
    #expect(known.contains("[>\(back)<]") && !known.contains("CA"), "\(known)")
    let other = box(.certificateOther)
    let name = try #require(words["problem.saidByTLS"]?.split(separator: "{").first)
    #expect(other.contains(name.prefix(3)) && other.contains("SSL"), "\(other)")
    #expect(other.contains("odd") && other.contains("[>\(back)<]"), "\(other)")
  }

  @Test func `the registration form at 80x24`() {
    #expect(
      picture(pane(welcome(.register)), 80, 24) == """
        +- New account --------------------------------------------------+
        |                                                                |
        |  Choose a name, and a server with open registration. Natter    |
        |  asks the server what it needs.                                |
        |                                                                |
        |>Address    [                                                 ] |
        |             the address you want, e.g. alice@example.org       |
        |                                                                |
        | [ Continue ]   [ Back to sign in ]                             |
        |                                                                |
        | v Advanced: server, port, TLS, certificate                     |
        |                                                                |
        |                                                                |
        |                                                                |
        |                                                                |
        |                                                                |
        | Tab next field   Enter next   Esc back   ^Q quit               |
        +----------------------------------------------------------------+
        """)
  }

  @Test func `the registration form at 40x15`() {
    #expect(
      picture(pane(welcome(.register)), 40, 15) == """
        +- New account ------------------------+
        | Choose a name, and a server with     |
        | open registration. Natter asks the   |
        | server what it needs.                |
        |                                      |
        |>Address [                          ] |
        |   the address you want, e.g.         |
        |   alice@example.org                  |
        |                                      |
        | [ Continue ] [ Back to sign in ]     |
        |                                      |
        | v Advanced                           |
        |                                      |
        +--------------------------------------+
        Tab next field  Enter next  Esc back
        """)
  }
}
