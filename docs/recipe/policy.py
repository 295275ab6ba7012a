"""The model that is trained: a small transformer from scratch, or a pretrained one, behind one interface.

Both are causal language models of ``transformers``; they differ in where weights and tokenizer come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from problems import Problem, text_of
from settings import SCRATCH
from settings import Policy as Settings
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    LlamaConfig,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from orrery.model import UsageError

END, UNKNOWN = "<end>", "<unknown>"
# A token is a word with the space before it, so that tokens join to the text.
WORD = Regex(r"\s*\(?[\w:-]+|\s*[^\s\w]")
POSITIONS = 4096
SPREAD = 0.05  # of the first weights: with the usual 0.02 so small a model is slow to start


class Policy:
    """A causal language model that replies to problems; ``model`` has its weights."""

    def __init__(self, settings: Settings, texts: Sequence[str]) -> None:
        """Make the model; one from scratch knows the words of ``texts``."""
        self.settings = settings
        scratch = settings.model == SCRATCH
        self.tokenizer = (
            _loaded(AutoTokenizer, settings.model)
            if not scratch
            else _pieces(texts, settings.pieces)
            if settings.pieces
            else _words(texts)
        )
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        model = (
            _small(settings, len(self.tokenizer))
            if scratch
            else _loaded(AutoModelForCausalLM, settings.model)
        )
        if settings.device == "cuda" and not torch.cuda.is_available():
            raise UsageError("policy.device 'cuda'", "there is no such device here", "give cpu")
        self.model: Any = model.to(settings.device, torch.float32)
        # A penalty on repetition, as some models bring, would draw from another distribution than is learnt.
        plain: Any = GenerationConfig  # untyped there
        # Logits that are not finite end a GPU's process when they are sampled. Replaced, they give a reply
        # whose gradient is not finite; the run counts it and skips the step.
        self.model.generation_config = plain(
            eos_token_id=self.tokenizer.eos_token_id,
            pad_token_id=self.tokenizer.pad_token_id,
            remove_invalid_values=True,
        )
        self.model.eval()  # no dropout: what is drawn and what is learnt must come from one distribution

    def prompt(self, problem: Problem) -> list[int]:
        """Return the tokens of what the model reads: in the format of its chats, if it has one."""
        if not self.tokenizer.chat_template:
            return self._tokens(text_of(problem))
        said = problem.prompt
        messages = [{"role": "user", "content": said}] if isinstance(said, str) else said
        text = self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        return self._tokens(str(text))

    def gold(self, problem: Problem) -> list[int]:
        """Return the tokens of the right reply, with the one that ends it."""
        return [*self._tokens(problem.gold), self.tokenizer.eos_token_id]

    def _tokens(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def text(self, reply: Sequence[int]) -> str:
        """Return a reply as text."""
        return str(self.tokenizer.decode(list(reply), skip_special_tokens=True))

    @torch.no_grad()
    def replies(self, problems: Iterable[Problem], temperature: float) -> list[list[int]]:
        """Return a reply to each problem, in tokens with the end; temperature 0 takes the most likely tokens.

        The replies to one problem share the computation of its prompt if they are drawn together.
        """
        prompts = [self.prompt(problem) for problem in problems]
        sampling = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        options: dict[str, Any] = sampling if temperature else {"do_sample": False}
        replies = list[list[int]]()
        for start in range(0, len(prompts), self.settings.drawn_at_once):
            distinct, owners = _distinct(prompts[start : start + self.settings.drawn_at_once])
            ids, mask = self._padded(distinct, left=True)
            with self._precision():
                # The last token is read again with the first step of the reply.
                _, cache = self._read(ids[:, :-1], mask[:, :-1], owners)
                sequences = self.model.generate(
                    input_ids=ids[owners],
                    attention_mask=mask[owners],
                    past_key_values=cache,
                    max_new_tokens=self.settings.reply,
                    **options,
                )
            replies += [self._until_end(reply) for reply in sequences[:, ids.shape[1] :].tolist()]
        return replies

    def _until_end(self, reply: list[int]) -> list[int]:
        end = self.tokenizer.eos_token_id
        return reply[: reply.index(end) + 1] if end in reply else reply

    def log_likelihood(self, prompts: Sequence[list[int]], replies: Sequence[list[int]]) -> Tensor:
        """Return the logarithm of the probability of each whole reply to its prompt, of shape (replies,).

        Equal prompts are computed once.
        """
        distinct, owners = _distinct(prompts)
        ids, mask = self._padded(distinct, left=True)
        reply_ids, reply_mask = self._padded(replies, left=False)
        with self._precision():
            first, cache = self._read(ids, mask, owners)
            whole_mask = torch.cat([mask[owners], reply_mask], dim=1)
            output = self.model(
                input_ids=reply_ids,
                attention_mask=whole_mask,
                position_ids=_positions(whole_mask)[:, ids.shape[1] :],
                past_key_values=cache,
            )
        logits = torch.cat([first, output.logits[:, :-1]], dim=1).float()
        of_tokens = -torch.nn.functional.cross_entropy(logits.transpose(1, 2), reply_ids, reduction="none")
        return (of_tokens * reply_mask).sum(1)

    def _read(self, ids: Tensor, mask: Tensor, owners: Tensor) -> tuple[Tensor, Any]:
        """Return the logits after each prompt and the cache of its tokens, for each of ``owners``."""
        output = self.model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=_positions(mask),
            use_cache=True,
            logits_to_keep=1,
        )
        output.past_key_values.batch_select_indices(owners)
        return output.logits[owners], output.past_key_values

    def _precision(self) -> torch.autocast:
        mixed = self.settings.precision == "bfloat16"
        return torch.autocast(self.settings.device, torch.bfloat16, enabled=mixed)

    def _padded(self, sequences: Sequence[list[int]], *, left: bool) -> tuple[Tensor, Tensor]:
        """Return tokens and mask of shape (sequences, longest), filled up on the left or on the right."""
        ids = torch.full((len(sequences), max(map(len, sequences))), self.tokenizer.pad_token_id)
        mask = torch.zeros_like(ids)
        for row, sequence in enumerate(sequences):
            place = slice(-len(sequence), None) if left else slice(len(sequence))
            ids[row, place], mask[row, place] = torch.tensor(sequence), 1
        return ids.to(self.settings.device), mask.to(self.settings.device)


def _positions(mask: Tensor) -> Tensor:
    """Return the position of each token among the tokens that are not padding."""
    return (mask.cumsum(1) - 1).clamp(min=0)


def _distinct(prompts: Sequence[list[int]]) -> tuple[list[list[int]], Tensor]:
    """Return the different prompts in order, and for each prompt its index among them."""
    indices: dict[tuple[int, ...], int] = {}
    owners = [indices.setdefault(tuple(prompt), len(indices)) for prompt in prompts]
    return [list(prompt) for prompt in indices], torch.tensor(owners)


def _words(texts: Sequence[str]) -> PreTrainedTokenizerBase:
    """Return a tokenizer whose words are those of ``texts``."""
    split = pre_tokenizers.Split(WORD, "isolated")
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text)})
    core = Tokenizer(models.WordLevel({word: at for at, word in enumerate([END, UNKNOWN, *words])}, UNKNOWN))
    core.pre_tokenizer, core.decoder = split, decoders.Fuse()
    return _fast(core, unk_token=UNKNOWN)


def _pieces(texts: Sequence[str], count: int) -> PreTrainedTokenizerBase:
    """Return a tokenizer of bytes and the byte pairs that are most frequent in ``texts``."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    core.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=count,
            special_tokens=[END],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return _fast(core)


def _fast(core: Tokenizer, **special: str) -> PreTrainedTokenizerBase:
    fast: Any = PreTrainedTokenizerFast  # untyped there
    made: PreTrainedTokenizerBase = fast(tokenizer_object=core, eos_token=END, **special)
    return made


def _small(settings: Settings, words: int) -> Any:
    shape = LlamaConfig(
        vocab_size=words,
        hidden_size=settings.width,
        intermediate_size=2 * settings.width,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        max_position_embeddings=POSITIONS,
        tie_word_embeddings=True,
        initializer_range=SPREAD,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
    )
    made: Any = AutoModelForCausalLM
    return made.from_config(shape)


def _loaded(kind: Any, name: str) -> Any:
    """Return weights or tokenizer of a pretrained model: a folder, an id on the Hub, or a GGUF file."""
    path = Path(name)
    folder, options = (path.parent, {"gguf_file": path.name}) if path.suffix == ".gguf" else (name, {})
    try:
        return kind.from_pretrained(folder, **options)
    except (OSError, ValueError, ImportError) as error:
        problem = str(error).strip().partition("\n")[0]
        mend = f"give a folder, id or GGUF file of a causal language model, or '{SCRATCH}'"
        raise UsageError(f"policy.model '{name}'", f"cannot be loaded: {problem}", mend) from error
