import { answerWith } from '../threads/answer.ts'
import { findSecrets } from './find-secrets.ts'

answerWith(findSecrets)
