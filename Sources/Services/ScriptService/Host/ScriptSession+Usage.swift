import NatterCore

// Watches what the processes of a script use, while there are any.
extension ScriptSession {
  func watchUsage() async {
    var usage = ScriptUsage()
    while await clock.hasPassed(ScriptLimits.look) {
      guard let now = await process.usage() else { return }
      let (percent, problem) = usage.take(
        memory: now.memory, processor: now.processor, at: clock.steady())
      await parts.services.report(.usage(memory: now.memory, processor: percent))
      await reportCounts()
      if let problem { return kill(problem) }
      if await StoredFiles.measure(parts.script.storage).isTooMuch { return kill(.files) }
    }
  }

  /// Stops a script that has too many processes, long before the next look at what it uses.
  func watchProcesses() async {
    if await process.exceeds(tasks: ScriptLimits.tasks) { kill(.processes) }
  }
}
