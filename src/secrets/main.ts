import { answerWith } from '../threads/answer.ts'
import { lookForSecrets } from './look.ts'

answerWith(lookForSecrets)
