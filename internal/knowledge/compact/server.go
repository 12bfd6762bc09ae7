package compact

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/remote"
)

// defaultURL is the base URL of OpenAI's own API.
const defaultURL = "https://api.openai.com/v1"

// server is an author behind OpenAI's protocol.
type server struct {
	url, model string
	key        key
	wait       time.Duration
	client     *http.Client
}

func newServer(s Settings, env func(string) string) (Author, error) {
	if s.URL == "" {
		s.URL = defaultURL
	}
	path := "/chat/completions"
	if u, err := url.Parse(s.URL); err == nil && strings.Trim(u.Path, "/") == "" {
		path = "/v1" + path
	}
	address, err := remote.Join(s.URL, path, "the setting summary_url")
	if err != nil {
		return nil, err
	}
	out := server{url: address, model: s.Model, wait: s.Wait, client: remote.NewClient()}
	if s.KeyEnv != "" {
		if out.key = key(env(s.KeyEnv)); out.key == "" {
			return nil, kb.Errorf(kb.Usage, "the variable %s, which holds the API key for summaries, is not set", s.KeyEnv).
				WithHint("Set it to the API key; it is read each time, and never stored.")
		}
		if err := remote.CheckKey(out.key, s.KeyEnv); err != nil {
			return nil, err
		}
	}
	out.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return out, nil
}

// message is one message of a conversation.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Write implements Author.
func (s server) Write(ctx context.Context, asked Asked) (Answer, error) {
	pages, err := asked.request()
	if err != nil {
		return Answer{}, err
	}
	body, err := json.Marshal(struct {
		Model    string    `json:"model"`
		Messages []message `json:"messages"`
	}{s.model, []message{{"system", instructions}, {"user", pages}}})
	if err != nil {
		return Answer{}, err
	}
	within, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	text, status, err := s.post(within, body)
	if err != nil {
		if why := explain(ctx, within, s.wait, err); why != nil {
			return Answer{}, why
		}
		return Answer{}, failed("cannot be reached")
	}
	if status < 200 || status > 299 {
		return Answer{}, failed("refused with status %d", status)
	}
	var answer struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
	}
	if json.Unmarshal(text, &answer) != nil || len(answer.Choices) == 0 {
		return Answer{}, failed("gave an unreadable answer")
	}
	return read([]byte(answer.Choices[0].Message.Content))
}

func (s server) post(ctx context.Context, body []byte) (text []byte, status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		request.Header.Set("Authorization", "Bearer "+string(s.key))
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, 0, err
	}
	text, err = limited(response.Body)
	// The answer has been read as far as needed; an error of Close does not matter.
	_ = response.Body.Close()
	return text, response.StatusCode, err
}
