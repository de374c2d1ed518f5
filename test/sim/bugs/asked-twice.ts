import { askQuestion as asked } from '../../../src/work/questions/ask.ts'

export * from '../../../src/work/questions/ask.ts'

export const askQuestion: typeof asked = async (scope, wanted) => {
  await asked(scope, wanted)
  return asked(scope, wanted)
}
