import { createEngine as created } from '../../../src/engine/loop/engine.ts'

export const createEngine: typeof created = (parts) => {
  const { clock } = parts
  return created({
    ...parts,
    clock: { ...clock, after: (ms, callback) => (ms === 30_000 ? () => {} : clock.after(ms, callback)) },
  })
}
