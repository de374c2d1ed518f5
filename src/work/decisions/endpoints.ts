import { post } from '../../operations/endpoint.ts'

export const decisionEndpoints = {
  undo: post('/decisions/:target/undo'),
}
