import FoundationEssentials
import JSONLines
import XMPP

/// A program of a script to start.
package struct ScriptProgram: Hashable, Sendable {
  /// The folder with the manifest, and that of its storage, which is its working folder; absolute.
  package let folder: String
  package let storage: String
  /// The program, in PATH or as `./file` of the folder, and its arguments; never empty.
  package let command: [String]
  package var hasNetwork = false
  /// Folders that it can read, and those that it can read and write; absolute.
  package var readable: [String] = []
  package var writable: [String] = []
  /// Further variables of its environment, which begin with `NATTER_`.
  package var variables: [String: String] = [:]

  package init(folder: String, storage: String, command: [String]) {
    (self.folder, self.storage, self.command) = (folder, storage, command)
  }
}

/// The reason why a script was not started; the sentence is for the user.
package struct ScriptStartError: Error, Hashable, Sendable {
  package let notice: StatusNotice

  package init(_ notice: StatusNotice) { self.notice = notice }
}

/// How a program ended.
package enum ScriptExit: Hashable, Sendable {
  case status(Int)
  case signal(Int)
}

/// Starts programs of scripts, confined as far as the system can.
package protocol ScriptStarting: Sendable {
  /// How far programs are confined here.
  var confinement: ScriptConfinement { get }
  /// Starts a program in a process group of its own.
  /// - Throws: `ScriptStartError`.
  func start(_ program: ScriptProgram) async throws(ScriptStartError) -> any ScriptProcess
}

/// A running program of a script.
package protocol ScriptProcess: Sendable {
  var processID: Int32 { get }
  /// Its standard input and output. `close` closes its standard input once everything queued was
  /// written; the lines go on until it closes its standard output.
  var connection: any BridgeConnection { get }
  /// The lines of its standard error; there is one consumer.
  var errors: AsyncStream<LineSplitter.Line> { get }
  /// Sends a signal to all processes of its group.
  func signal(_ number: Int32)
  /// The resident memory of its group in bytes, and the processor time that it has used; `nil`
  /// if it has ended.
  func usage() async -> (memory: Int, processor: Duration)?
  /// Waits until its group has more processes and threads than `limit`; that is noticed within a
  /// second.
  /// - Returns: `false` if it has ended before, or the task was cancelled.
  func exceeds(tasks limit: Int) async -> Bool
  /// Waits until it has ended. What is left of its group is killed then.
  func exit() async -> ScriptExit
}

/// Answers scripts as clients of the bridge, over the accounts that are open.
package protocol ScriptBridging: Sendable {
  /// The accounts that are open now, bare.
  var accounts: [JID] { get async }
  /// How often an account was opened or closed until now: one that was closed and opened again
  /// has the same address, and other services.
  var openings: Int { get async }
  /// Answers a script, and returns when its connection has ended.
  func serve(_ connection: any BridgeConnection, for client: BridgeClient) async
  /// An element when an account was opened or closed, or its connection begins or ends.
  func changes() -> AsyncStream<Void>
  /// Indicates whether an open account is online.
  var isOnline: Bool { get async }
  /// The events of the bridge with these names that happen in open accounts from now on. They wake
  /// scripts that sleep; what has happened is not said.
  func events(named names: Set<String>) -> AsyncStream<ScriptWake>
}

extension ScriptBridging {
  package var openings: Int { get async { 0 } }
  package var isOnline: Bool { get async { await !accounts.isEmpty } }
  package func events(named names: Set<String>) -> AsyncStream<ScriptWake> { AsyncStream { nil } }
}

/// An event of an open account that may wake scripts.
package struct ScriptWake: Hashable, Sendable {
  /// The name of the event in the bridge.
  package let name: String
  /// Bare.
  package let account: JID
  /// The id of the first message that it is about, where the store has it from then on: a script
  /// that it wakes is sent that message, and what follows.
  package let message: Int?

  package init(_ name: String, in account: JID, message: Int? = nil) {
    (self.name, self.account, self.message) = (name, account.bare, message)
  }
}

/// A command of a script that the user has entered.
package struct ScriptCommandCall: Hashable, Sendable {
  package let script: String
  package let command: String
  package let arguments: [String]
  /// The account and the conversation that are shown, if there are.
  package var account: JID?
  package var conversation: JID?

  package init(script: String, command: String, arguments: [String]) {
    (self.script, self.command, self.arguments) = (script, command, arguments)
  }
}

/// What a command of a script answers; all texts are untrusted.
package enum ScriptCommandResult: Hashable, Sendable {
  case nothing
  /// A line for the user, which is not sent.
  case note(String)
  /// A text for the input.
  case insert(String)
  /// The id of its pane that is to be shown.
  case pane(String)
}

/// What changes on the screen because of a script.
package enum ScriptChange: Hashable, Sendable {
  /// Something in the list of scripts.
  case list
  /// A question waits, or was answered.
  case questions
  /// What scripts have for messages on the screen may be different.
  case decorations
  /// A short text for the status line, from the script of that title; untrusted.
  case toast(title: String, text: String)
  /// A notice of Natter about a script.
  case notice(StatusNotice)
  /// The items of the status line (`ScriptDisplaying.statusItems`).
  case status
  /// The content of panes (`ScriptDisplaying.pane`).
  case panes
}

/// The scripts of the profile: what the page, the commands and the dialogs work with.
package protocol ScriptManaging: Sendable {
  /// All scripts, by name; `nil` until it has begun: `changes` has that.
  func scripts() async -> [ScriptSummary]?
  /// - Throws: `NatterError` when it is bad or unsafe, or the grants could not be written.
  func setEnabled(_ isEnabled: Bool, _ script: String) async throws
  /// Ends a script, if it is running, and starts it.
  /// - Throws: `NatterError` when it is not enabled or could not be started.
  func restart(_ script: String) async throws
  /// Takes a right back, at once; `nil`: all.
  /// - Throws: `NatterError` when the grants could not be written.
  func revoke(_ right: ScriptRight?, of script: String) async throws
  /// The last lines of its standard error, the oldest first; untrusted.
  func log(of script: String) async -> [String]
  /// Runs a command; starts the script if necessary.
  /// - Throws: `NatterError`.
  func run(_ call: ScriptCommandCall) async throws -> ScriptCommandResult
  /// The changes from now on.
  func changes() -> AsyncStream<ScriptChange>
  /// The questions of scripts to the user.
  var questions: any ScriptAsking { get }
}

/// The questions of scripts for rights, one at a time for each script.
package protocol ScriptAsking: Sendable {
  /// Those that wait for an answer, the oldest first.
  func open() async -> [ScriptQuestion]
  /// - Throws: `NatterError` when an answer for good could not be stored; it counts as
  ///   `.onceWithin` then.
  func answer(_ question: ScriptQuestion.ID, _ answer: ScriptAnswer) async throws
}

/// Changes the settings of scripts, which their manifests declare. A `ScriptManaging` without it
/// shows them only.
package protocol ScriptSettingChanging: Sendable {
  /// - Parameter value: `nil`: the value of the manifest.
  /// - Throws: `NatterError` when the settings could not be written.
  func setSetting(_ name: String, to value: String?, of script: String) async throws
}

/// What scripts show on the screen now, beside notices. A `ScriptManaging` without it shows
/// nothing.
package protocol ScriptDisplaying: Sendable {
  /// The items of the status line, by script and id. None of a script that has ended, or whose
  /// right was taken back, nor one whose time has passed.
  func statusItems() -> [ScriptStatusItem]
  /// The content of a pane; `nil`: the script has not opened it, has ended, or its right was taken
  /// back.
  func pane(_ id: String, of script: String) -> ScriptPane?
  /// Asks a script about something that it has on the screen; starts it if necessary.
  /// - Throws: `NatterError`.
  func ask(_ call: ScriptScreenCall) async throws -> ScriptCommandResult
}
