import { classifyEnd as classified } from '../../../src/engine/attempt/classify-end.ts'

export * from '../../../src/engine/attempt/classify-end.ts'

export const classifyEnd: typeof classified = ({ ended, ...end }, reports) => {
  const { limited, ...unlimited } = ended
  return classified({ ...end, ended: limited === undefined ? ended : { ...unlimited, exitCode: 1 } }, reports)
}
