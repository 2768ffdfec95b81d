import { fileContracts, PIECE_BYTES } from '@operon/contracts/files'
import { expect, test } from 'vitest'
import { compileRoutes } from './routes.ts'
import { readTarget } from './target.ts'

test('an upload that resumes has its methods, HEAD among them, and takes pieces of 32 MiB beside the signed files', () => {
  const routes = compileRoutes([{ service: 'marketplace', endpoints: Object.values(fileContracts('marketplace')), tables: [] }])
  const find = (path: string) => routes.find(readTarget(path)!.path)!
  expect(find('/files/v1/marketplace/~uploads').allow).toBe('POST, OPTIONS')
  const upload = find('/files/v1/marketplace/~uploads/0199f3c2-0000-7000-8000-000000000000')
  expect(upload.allow).toBe('HEAD, PATCH, DELETE, OPTIONS')
  expect(upload.methods.get('PATCH')).toMatchObject({ access: 'user', maxBytes: PIECE_BYTES })
  expect(find('/files/v1/marketplace/~links/abc').methods.get('GET')).toMatchObject({ access: 'public' })
  expect(find('/files/v1/marketplace/a/b.png').allow).toBe('GET, HEAD, PUT, OPTIONS')
})
