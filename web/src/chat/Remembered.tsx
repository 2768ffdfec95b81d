import type { CallReply } from '@operon/contracts/calls'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../api/call.ts'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { attempt } from '../ui/toast.tsx'

const memorySettings = `${paths.settings}?section=memory`

/** Says what was kept in mind, with the way back. */
export function Remembered({ memory }: { memory: CallReply<'ai-memory'>['memories'][number] }) {
  const queries = useQueryClient()
  const [gone, setGone] = useState(false)
  async function forget() {
    await call('ai-memory-delete', { memory_id: memory.id })
    setGone(true)
    void queries.invalidateQueries({ queryKey: ['ai-memory'] })
  }
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2 gap-y-1 text-13 text-muted">
      {gone ? 'Forgotten.' : `Remembered: “${memory.content}”`}
      {gone ? null : (
        <Button variant="ghost" onClick={() => attempt('The memory was not deleted', forget)}>
          Forget
        </Button>
      )}
      <Link to={memorySettings} className="underline underline-offset-2">
        See all memories
      </Link>
    </p>
  )
}
