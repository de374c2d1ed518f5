import { expect, it } from 'vitest'

import { bytesOf, fileNameOf, imageType, wholeFile } from './content.ts'

it('joins the parts of a file byte by byte', async () => {
  const whole = Buffer.concat([Buffer.from('ümlaut ☃\n'), Buffer.from([0, 255, 128, 10])])
  const read = async (from: number) => {
    const part = whole.subarray(from, from + 5)
    return {
      content: part.toString('base64'),
      encoding: 'base64' as const,
      next: from + part.length < whole.length ? from + part.length : null,
    }
  }
  const blob = await wholeFile(read)
  expect(Buffer.from(await blob.arrayBuffer())).toEqual(whole)
  expect(blob.type).toBe('application/octet-stream')
})

it('encodes text as UTF-8', () => {
  expect(Buffer.from(bytesOf({ content: 'a ☃', encoding: 'utf8' })).toString()).toBe('a ☃')
})

it('recognises images by their bytes, not by their names', () => {
  expect(imageType(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).toString('base64'))).toBe('image/png')
  expect(imageType(Buffer.from('<svg onload=alert(1)>').toString('base64'))).toBeNull()
})

it('saves a file under a name without misleading characters', () => {
  expect(['a/b.md', 'x\\y.md', 'invoice\u202egnp.exe', '<b>"a"\n.html', 'd/'].map(fileNameOf)).toEqual([
    'b.md',
    'y.md',
    'invoice_gnp.exe',
    '_b__a__.html',
    'file',
  ])
})
