export * from '../../../src/work/attempts/store.ts'

export async function checkFence(): Promise<void> {}
