/**
 * Waits for ever, as all that a dead process was about to do. Each call returns a promise of its own: a shared one would
 * keep everything that has ever waited for it, and with it every world that was played.
 */
export const never = (): Promise<never> => new Promise<never>(() => {})
