import { answerWith } from '../threads/answer.ts'
import { lookForSecrets } from './find-secrets.ts'

answerWith(lookForSecrets)
