/** The label beside all data of a simulated run. */
export const Simulated = () => (
  <span className="label" title="The agents of this run follow a script; no model is called">
    simulated
  </span>
)
