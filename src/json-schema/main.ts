import { answerWith } from '../threads/answer.ts'
import { validateDocument } from './validate.ts'

answerWith(validateDocument)
