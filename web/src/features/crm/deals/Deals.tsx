import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Options, SelectField } from '../../../ui/Field.tsx'
import { EmptyState, ErrorState, Panel, SamplePill, Skeleton } from '../../../ui/Panel.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { useSampleData } from '../../../ui/useSampleData.ts'
import { Board } from './Board.tsx'
import { DealForm } from './DealForm.tsx'
import { DealList } from './DealList.tsx'
import { DealPanel } from './DealPanel.tsx'
import { LostDialog } from './LostDialog.tsx'
import { PipelineDialog } from './PipelineDialog.tsx'
import { type Deal, useBoard, useDealAddress } from './queries.ts'
import { sampleStages } from './samples.ts'

type Props = { dealId: string | null; isAdding: boolean; openContact: (id: string) => void }

export function Deals({ dealId, isAdding, openContact }: Props) {
  const address = useDealAddress()
  const { change, view } = address
  const board = useBoard(address.pipeline)
  const samples = useSampleData()
  const [lost, setLost] = useState<Deal | null>(null)
  const [dialog, setDialog] = useState<'new' | 'edit' | null>(null)
  const pipelines = board.data?.pipelines ?? []
  const shown = pipelines.find(({ id }) => id === board.data?.pipeline_id)
  const open = (deal: string) => change({ deal })
  return (
    <div className="flex flex-col gap-4 pt-4">
      {board.isPending ? <Skeleton className="h-80" /> : null}
      {board.isError ? (
        <ErrorState
          title="Your deals could not be loaded"
          error={board.error}
          retry={() => (address.pipeline ? change({ pipeline: undefined }, true) : board.refetch())}
        />
      ) : null}
      {board.data && !shown ? (
        <>
          <EmptyState
            title="No deals yet"
            action={
              <Button variant="primary" onClick={() => change({ new: '1' })}>
                <Plus />
                New deal
              </Button>
            }
          >
            A deal is a sale you are working on. Add one with its amount and see which stage each deal is in.
          </EmptyState>
          {samples.shown ? (
            <Panel title="Pipeline" badge={<SamplePill />}>
              <Board stages={sampleStages} />
            </Panel>
          ) : null}
        </>
      ) : null}
      {board.data && shown ? (
        <>
          <div className="flex flex-wrap items-end gap-3">
            <SelectField
              label="Pipeline"
              fieldClassName="w-48"
              value={shown.id}
              onChange={(event) => change({ pipeline: event.target.value }, true)}
            >
              <Options of={pipelines.map(({ id, name }) => [id, name])} />
            </SelectField>
            <Button onClick={() => setDialog('edit')}>Edit stages</Button>
            {pipelines.length < 10 ? <Button onClick={() => setDialog('new')}>New pipeline</Button> : null}
          </div>
          <Tabs
            label="View of the deals"
            look="segment"
            value={view}
            onChange={(next) => change({ view: next === 'board' ? undefined : next }, true)}
            tabs={[
              {
                id: 'board',
                label: 'Board',
                panel: (
                  <div className="pt-3">
                    <Board key={shown.id} stages={board.data.stages} open={open} lose={setLost} />
                  </div>
                ),
              },
              {
                id: 'list',
                label: 'List',
                panel: (
                  <div className="flex flex-col gap-4 pt-3">
                    <DealList address={address} pipelines={pipelines} open={open} />
                  </div>
                ),
              },
            ]}
          />
        </>
      ) : null}
      {dealId ? (
        <DealPanel
          key={dealId}
          id={dealId}
          pipelines={pipelines}
          onClose={() => change({ deal: undefined })}
          openContact={openContact}
          lose={setLost}
        />
      ) : null}
      {isAdding ? <DealForm open onClose={() => change({ new: undefined }, true)} stages={shown?.stages ?? []} /> : null}
      {lost ? <LostDialog deal={lost} onClose={() => setLost(null)} /> : null}
      {dialog ? (
        <PipelineDialog
          {...(dialog === 'edit' && shown && { pipeline: shown })}
          onClose={() => setDialog(null)}
          onMade={(id) => change({ pipeline: id }, true)}
        />
      ) : null}
    </div>
  )
}
