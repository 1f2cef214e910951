import NatterCore
import Testing

@testable import natter

@Suite struct LauncherArgumentsTests {
  private func sample(_ confinement: ScriptConfinement = .closed) -> LauncherArguments {
    LauncherArguments(
      confinement, folder: "/f", storage: "/s", command: ["/usr/bin/node", "a.mjs", "--", "-x"])
  }

  @Test func `what is written is read again`() throws {
    var all = sample(.bwrap)
    all.parent = 12
    all.hasNetwork = true
    all.readable = ["/r", "/r 2"]
    all.writable = ["/w"]
    all.bwrap = "/usr/bin/bwrap"
    for arguments in [sample(), sample(.open), all] {
      #expect(arguments.words.first == LauncherArguments.option)
      #expect(try LauncherArguments(Array(arguments.words.dropFirst())) == arguments)
    }
  }

  @Test func `arguments that are not complete are mistakes`() {
    let common = ["closed", "--folder", "/f", "--storage", "/s"]
    let cases: [([String], String)] = [
      ([], ""), (["tight"], "tight"), (common, "--"), (common + ["--"], "--"),
      (common + ["--", "node"], "node"),
      (["closed", "--folder", "/f", "--", "/p"], "--storage"),
      (["closed", "--storage", "/s", "--", "/p"], "--folder"),
      (common + ["--read"], "--read"), (common + ["--read", "r", "--", "/p"], "r"),
      (common + ["--parent", "0", "--", "/p"], "0"),
      (common + ["--what", "/x", "--", "/p"], "--what"),
      (common + ["--bwrap", "/b", "--", "/p"], "--bwrap"),
      (["bwrap", "--folder", "/f", "--storage", "/s", "--", "/p"], "--bwrap"),
    ]
    for (words, argument) in cases {
      #expect(throws: LauncherArguments.Mistake(argument: argument)) {
        try LauncherArguments(words)
      }
    }
  }

  @Test func `a script's environment has nothing of the user's but paths, language and zone`() {
    let given = [
      "PATH": "/bin", "LANG": "fr_FR.UTF-8", "LC_TIME": "C", "TZ": "UTC", "NATTER_SCRIPT": "x",
      "HOME": "/home/me", "TMPDIR": "/tmp", "SSH_AUTH_SOCK": "/agent", "LD_PRELOAD": "/x.so",
      "DISPLAY": ":0",
    ]
    #expect(
      sample().environment(from: given) == [
        "PATH": "/bin", "LANG": "fr_FR.UTF-8", "LC_TIME": "C", "TZ": "UTC", "NATTER_SCRIPT": "x",
        "HOME": "/s", "TMPDIR": "/s/tmp",
      ])
  }

  @Test func `bwrap gets the same rules`() {
    var arguments = sample(.bwrap)
    arguments.readable = ["/r"]
    arguments.writable = ["/w"]
    let words = arguments.bwrapArguments(system: ["/usr"], filter: 5).joined(separator: " ")
    #expect(
      words == """
        --unshare-all --die-with-parent --cap-drop ALL --ro-bind-try /usr /usr --proc /proc \
        --dev /dev --ro-bind /f /f --ro-bind /r /r --bind /w /w --bind /s /s \
        --remount-ro /dev --remount-ro / --chdir /s --seccomp 5 -- /usr/bin/node a.mjs -- -x
        """)
    arguments.hasNetwork = true
    #expect(arguments.bwrapArguments(system: [], filter: 5).contains("--share-net"))
  }
}
