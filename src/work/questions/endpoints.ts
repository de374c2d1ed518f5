import { get, post } from '../../operations/endpoint.ts'

export const questionEndpoints = {
  list: get('/questions'),
  show: get('/questions/:question_id'),
  answer: post('/questions/:question_id/answer'),
  acknowledge: post('/questions/:question_id/acknowledge'),
}
