extension Duration {
  /// The time limit of a test that waits at most this long for an expected event.
  ///
  /// Limits are there for what never comes. What comes may take several times as long on a machine
  /// where much else runs as on one that is idle; a test that passes does not wait any longer for
  /// it. Short limits are for what may come or may not, and stay as they are.
  package var withPatience: Duration { self >= .seconds(15) ? self * 3 : self }
}
