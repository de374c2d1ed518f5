import { handOver as handed } from '../../../src/engine/attempt/handover.ts'

/** Names the first attempt of a maker, whichever was accepted. */
export const handOver: typeof handed = async (...request) => {
  const result = await handed(...request)
  return 'refused' in result ? result : { inputsSeen: result.inputsSeen.map((input) => ({ ...input, attempt: 1 })) }
}
