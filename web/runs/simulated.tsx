/** The label that stands beside anything a simulated run shows. */
export const Simulated = () => (
  <span className="label" title="Its agents are played from a script, not thought by a model">
    simulated
  </span>
)
