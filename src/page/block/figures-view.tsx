import type { Figure, FiguresBlock } from '../../report/page/page.ts';

const words: Readonly<Record<Figure['state'], string>> = {
  good: 'good',
  bad: 'bad',
  doubtful: 'doubtful',
  plain: '',
};

/** Key figures as cards. */
export function FiguresView({ block: { figures } }: { block: FiguresBlock }) {
  return (
    <dl class="figures">
      {figures.map(({ name, text, detail, state }) => (
        <div key={name} class="figure" data-state={state}>
          <dt>{name}</dt>
          <dd>
            <span class="value">{text}</span>
            {words[state] === '' ? null : <span class="hidden"> ({words[state]})</span>}
            {detail === '' ? null : <span class="detail">{detail}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
